"""Kinds of labels: how labels of each kind become numbers and what a prediction of them loses, one module a kind.

``kind`` says what a kind has to define, ``registry`` lists all of them; ``number`` is the only one so far. Used by
``learn.training_data``, which knows the kind of its labels, and through it by ``learn.inference`` and ``learn.checks``;
no other module names a kind.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.learn.labels.kind import LabelKind as LabelKind
    from manyjudges.learn.labels.registry import LABEL_KINDS as LABEL_KINDS

__getattr__, __dir__, __all__ = lazy_names(__name__, {"kind": ["LabelKind"], "registry": ["LABEL_KINDS"]})
