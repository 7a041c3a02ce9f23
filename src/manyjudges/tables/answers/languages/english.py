"""The English words in which people answer."""

from __future__ import annotations

# ruff: noqa: E501 - a line is a step
from manyjudges.tables.answers.languages.language import Language

ENGLISH = Language(
    name="English",
    pairs=(
        (("no", "n", "nope"), ("yes", "y", "yep", "yeah")),
        (("false", "f"), ("true", "t")),
        (("incorrect", "wrong"), ("correct", "right")),
        (("unchecked", "not checked", "unticked", "not selected", "unselected"), ("checked", "ticked", "selected")),
        (("off",), ("on",)),
        (("absent", "not present"), ("present",)),
        (("fail", "failed"), ("pass", "passed")),
        (("invalid", "not valid"), ("valid",)),
        (("reject", "rejected"), ("accept", "accepted")),
        (("disabled", "inactive"), ("enabled", "active")),
        (("irrelevant", "not relevant"), ("relevant",)),
        (("thumbs down", "👎"), ("thumbs up", "👍")),
        (("✗", "✘", "❌", "☐"), ("✓", "✔", "✅", "☑")),
        (("not present", "none"), ("present",)),
        (("dislike",), ("like",)),
    ),
    no_answer="""
        na / n a / nan / nil answer / null / missing / unanswered / not answered / no answer / no response
        did not answer / didn't answer / blank / left blank / empty / skipped / skip / not asked / not shown / dk
        d k / dk na / dk ref / dunno / idk / don't know / do not know / i don't know / i do not know
        don't know no answer / don't know refused / don't know not applicable / don't remember / can't remember
        cannot remember / i don't remember / not known / unknown / no idea / can't say / cannot say / can't judge
        cannot judge / unable to judge / unable to say / unable to tell / can't answer / cannot answer
        unable to answer / can't choose / hard to say / no opinion / don't have an opinion / prefer not to say
        prefer not to answer / prefer not to disclose / prefer not to respond / i prefer not to say
        i prefer not to answer / i'd rather not say / would rather not say / rather not say / choose not to answer
        decline to answer / declined to answer / declined / refused / refusal / refuse to answer / not applicable
        does not apply to me / doesn't apply to me / not available / not stated / not ascertained / not determined
        nothing selected
    """,
    ladders={
        "agreement": """
            strongly disagree / completely disagree / totally disagree / fully disagree / absolutely disagree / disagree strongly / disagree completely / extremely disagree / entirely disagree / strong disagree / disagree very much / very strongly disagree / definitely disagree
            disagree / mostly disagree / moderately disagree / generally disagree / disagree moderately / do not agree / don't agree / largely disagree
            somewhat disagree / slightly disagree / rather disagree / tend to disagree / disagree somewhat / disagree slightly / mildly disagree / disagree a little / partly disagree / partially disagree / disagree mildly / weakly disagree
            neither agree nor disagree / neutral / undecided / neither / neither disagree nor agree / neither agree or disagree / unsure / not sure / uncertain / neither nor / neither agree, nor disagree / mixed / no preference / agree nor disagree
            somewhat agree / slightly agree / rather agree / tend to agree / agree somewhat / agree slightly / mildly agree / agree a little / partly agree / partially agree / agree mildly / weakly agree
            agree / mostly agree / moderately agree / generally agree / agree moderately / largely agree
            strongly agree / completely agree / totally agree / fully agree / absolutely agree / agree strongly / agree completely / extremely agree / entirely agree / strong agree / agree very much / very strongly agree / definitely agree
        """,
    },
    degrees=(
        "extremely {} / completely {} / totally {} / absolutely {} / entirely {} / exceptionally {}",
        "very {} / highly {} / strongly {} / really {} / very much {}",
        "{} / moderately {} / quite {} / mostly {} / generally {} / mainly {}",
        "somewhat {} / slightly {} / rather {} / a little {} / a bit {} / fairly {} / mildly {} / a little bit {} / partly {}",
    ),
    middle="neither {low} nor {high} / neither {high} nor {low} / neither {low} or {high} / neither {high} or {low} / neutral / neither / neither nor / undecided / in between / mixed / unsure / not sure / uncertain",
    opposites={
        "satisfaction": ("dissatisfied | unsatisfied", "satisfied", "indifferent"),
    },
)
