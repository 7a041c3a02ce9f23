"""Services: running a study, from planning its rounds to serving its pages and asking its models.

Rooms below know a study's folder, its store or its pages; here they meet. One module for each thing that can be done
with an open study: ``study`` opens it, ``study_planner`` plans it, ``status``, ``fit`` and ``export`` look at it,
``server`` serves it, ``model_judges`` lets models judge. May be imported by ``cli`` alone. To add a service, write a
function of an :class:`OpenStudy` here, and a command for it in ``cli``.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.service.demo import run_demo as run_demo
    from manyjudges.service.export import exported as exported
    from manyjudges.service.export import exported_file as exported_file
    from manyjudges.service.fit import StudyFit as StudyFit
    from manyjudges.service.fit import fit_study as fit_study
    from manyjudges.service.model_judges import ModelRun as ModelRun
    from manyjudges.service.model_judges import judge_study as judge_study
    from manyjudges.service.password import PASSWORD_VARIABLE as PASSWORD_VARIABLE
    from manyjudges.service.password import first_password as first_password
    from manyjudges.service.password import other_password as other_password
    from manyjudges.service.password import set_password as set_password
    from manyjudges.service.round_planning import Decision as Decision
    from manyjudges.service.round_planning import plan_round as plan_round
    from manyjudges.service.server import serve as serve
    from manyjudges.service.status import bonuses_of as bonuses_of
    from manyjudges.service.status import opinions_of as opinions_of
    from manyjudges.service.status import status_of as status_of
    from manyjudges.service.status import workforce_of as workforce_of
    from manyjudges.service.study import OpenStudy as OpenStudy
    from manyjudges.service.study import check_extra as check_extra
    from manyjudges.service.study import is_study_folder as is_study_folder
    from manyjudges.service.study import judgment_tables as judgment_tables
    from manyjudges.service.study import open_study as open_study
    from manyjudges.service.study_planner import order_first_round as order_first_round
    from manyjudges.service.study_planner import plan_study as plan_study

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "demo": ["run_demo"],
        "export": ["exported", "exported_file"],
        "fit": ["StudyFit", "fit_study"],
        "model_judges": ["ModelRun", "judge_study"],
        "password": ["PASSWORD_VARIABLE", "first_password", "other_password", "set_password"],
        "round_planning": ["Decision", "plan_round"],
        "server": ["serve"],
        "status": ["bonuses_of", "opinions_of", "status_of", "workforce_of"],
        "study": ["OpenStudy", "check_extra", "is_study_folder", "judgment_tables", "open_study"],
        "study_planner": ["order_first_round", "plan_study"],
    },
)
