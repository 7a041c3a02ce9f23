"""All kinds of labels, by name.

To add one, write its file beside this one (copy ``number``) and enter it in ``LABEL_KINDS``. Tables are matched with
labels by its ``encode``, cross-validation asks it for its honest loss, and texts for what that loss is called.
"""

from __future__ import annotations

__all__ = ["LABEL_KINDS"]

from manyjudges.learn.labels.kind import LabelKind
from manyjudges.learn.labels.number import NUMBER

LABEL_KINDS: dict[str, LabelKind] = {kind.name: kind for kind in (NUMBER,)}
"""All kinds of labels, by name."""
