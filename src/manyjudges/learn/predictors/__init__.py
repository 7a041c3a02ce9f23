"""Predictors: from the judgments of an object to its label, one file each behind one registry.

``registry`` lists them with what each can do, ``linear`` is what those of today share. Used by ``learn.predictor`` and
the command line, which choose by capability; no other module compares a predictor's name.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.learn.predictors.registry import PREDICTORS as PREDICTORS
    from manyjudges.learn.predictors.registry import PredictorMethod as PredictorMethod

__getattr__, __dir__, __all__ = lazy_names(__name__, {"registry": ["PREDICTORS", "PredictorMethod"]})
