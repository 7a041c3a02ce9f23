"""A study's folder: study.toml, objects and questions, read and checked before anything starts.

Knows no database, no request and no mathematics; may be imported by ``llm``, ``web``, ``connectors`` and the rooms
above them. To add a key to ``study.toml``, enter it in its section in ``config`` or ``models``, with the words that
say what is allowed, and in the template and ``docs/study-file.md``; a key that changes its name goes into
``config_errors.RENAMED_KEYS``.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.study.addresses import is_web_address as is_web_address
    from manyjudges.study.addresses import without_password as without_password
    from manyjudges.study.config import PlanSection as PlanSection
    from manyjudges.study.config import Study as Study
    from manyjudges.study.config import check_spending as check_spending
    from manyjudges.study.config import read_study as read_study
    from manyjudges.study.models import Column as Column
    from manyjudges.study.models import LlmSection as LlmSection
    from manyjudges.study.models import Model as Model
    from manyjudges.study.models import fill_in as fill_in
    from manyjudges.study.objects import ObjectRecord as ObjectRecord
    from manyjudges.study.objects import Objects as Objects
    from manyjudges.study.objects import read_objects as read_objects
    from manyjudges.study.pictures import media_type as media_type
    from manyjudges.study.questions import Attribute as Attribute
    from manyjudges.study.scaffold import new_study as new_study

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "addresses": ["is_web_address", "without_password"],
        "config": ["PlanSection", "Study", "check_spending", "read_study"],
        "models": ["Column", "LlmSection", "Model", "fill_in"],
        "objects": ["ObjectRecord", "Objects", "read_objects"],
        "pictures": ["media_type"],
        "questions": ["Attribute"],
        "scaffold": ["new_study"],
    },
)
