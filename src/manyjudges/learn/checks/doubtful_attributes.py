"""MJ503: an attribute that is hardly a judgment: nearly the label, or the time that a judge took."""

from __future__ import annotations

import re

from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names
from manyjudges.learn.checks.check import Check, CheckedData, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.learn.checks.leaks import LEAK, leave_out, likeness_in_words

_CLOSE = 0.95
"""Correlation with the label, either way, from which an attribute that never differs deserves a second look."""

_HOW_LONG_ENDS = (
    r"([ _-](you|on[ _-](it|this|that)))?([ _-]to[ _-](answer|decide|judge|rate|respond))?[ _-]*[?:]*"
    r"( ?[(\[].*|[ _-](in[ _-])?(m?s|secs?|mins?|hours?|minutes?))?$"
)
"""How a question ends that asks judges for their time, and not for that of the object, as of a recipe."""

_DURATION = re.compile(
    r"duration|(response|reaction|completion|interview|answer)[ _-]?times?|elapsed|time[ _-]?(taken|spent|sum|rsi)|"
    r"how[ _-]long[ _-](did|have|has)[ _-](it|you|this|that)[ _-](take|taken|spend|spent)" + _HOW_LONG_ENDS + r"|"
    r"(^|[ ._-])rt([ ._-]?m?s)?$|"
    r"(page|first|last)[ _-](submit|click)|work[ _-]?time|(in|of)[ _-](milli)?seconds|^(milli)?seconds?$|^secs?$|"
    r"antwortzeit|bearbeitungs(zeit|dauer)|reaktionszeit|^dauer$|durée|temps de réponse|duración|tiempo de respuesta|"
    r"用时|答题时间|反应时间",
    re.IGNORECASE,
)
"""What survey tools and experiments call the time that somebody took."""


def _check_doubtful(data: CheckedData) -> CheckOutcome:
    """Look for attributes that nearly are the label, and for times."""
    likenesses = data.label_likenesses
    close = [each for each in likenesses or () if _CLOSE <= abs(each.correlation) < LEAK]
    times = [name for name in data.attributes if name not in data.noiseless and _DURATION.search(name)]
    if not close and not times:
        if likenesses is None:
            return NotApplicable("These moments were given or regularized, and do not know what they came from.")
        return Passed(f"No sign of facts or times in {plural(len(data.attributes), 'attribute')}.")
    findings = [likeness_in_words(each) for each in close[:3]]
    if times:
        findings.append(
            f"{list_names(times)} {'looks' if len(times) == 1 else 'look'} like the time that judges needed."
        )
    names = tuple(dict.fromkeys([*(each.attribute for each in close), *times]))
    return Failed(
        " ".join(findings),
        "A fact that is known of these objects only, or that comes with the judging, cannot predict new objects.",
        f"{leave_out(names)}. Keep what judges are asked about each object, and name what you really know of new "
        "objects in noiseless (--noiseless).",
        {"attributes": names, "correlations": {each.attribute: each.correlation for each in close}},
        value=names[0],
        column=names[0],
    )


CHECK = Check("MJ503", "warning", "Attributes that are hardly judgments", _check_doubtful, kind="doubtful_attributes")
