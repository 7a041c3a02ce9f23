"""Odd answers: small tables with words, codes for no answer, repeated judgments, and of other layouts than a long one.

They are entered among the other odd tables: whether a case is a table or an error is not said here, either.
"""

from __future__ import annotations

import datetime
import io
import json
from itertools import cycle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from manyjudges.tables.answers.coding import PLAIN, AnswerCoding
from tests.support.odd_tables import CASES, COLUMNS, ROWS, case, text

__all__ = ["CASES"]

ON_ONE_MACHINE = ("memory", "duckdb")
"""The readers of tables that are not long, and of rows in their order."""

STEPS = np.clip([float(row[3]) / 12 for row in ROWS], 0, 0.999)
"""The judgments as shares of a scale."""


def worded(words, attribute="x"):
    """The rows with words for numbers, lowest first."""
    return [(row[0], attribute, row[2], words[int(step * len(words))]) for row, step in zip(ROWS, STEPS, strict=True)]


def with_value(rows, value, *positions):
    """The same rows, some with another value."""
    changed = list(rows)
    for at in positions:
        changed[at] = (*changed[at][:3], value)
    return changed


def quoted(rows, separator):
    """Rows of a text whose cells may have the separator in them."""
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "time"][: len(rows[0])])
    return frame.to_csv(index=False, sep=separator, na_rep="")


def parquet_of(rows, **columns):
    """Rows as a Parquet file, with some columns changed."""
    names = [*COLUMNS, "time"][: len(rows[0])]
    plain = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table(plain | columns), buffer, row_group_size=10)
    return buffer.getvalue().to_pybytes()


def records_of(rows):
    names = [*COLUMNS, "time"][: len(rows[0])]
    return "".join(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)


FORMATS = {
    "semicolons": (lambda rows: quoted(rows, ";"), ".csv"),
    "Parquet": (parquet_of, ".parquet"),
    "JSON lines": (records_of, ".jsonl"),
}
TURN = cycle(FORMATS)


def answers(name, rows, **options):
    """A case in a text with commas, and one in the next of the other formats."""
    case(f"answers: {name}", quoted(rows, ","), **options)
    kind = next(TURN)
    write, ending = FORMATS[kind]
    case(f"answers, {kind}: {name}", write(rows), ending=ending, **options)


# Words.
LIKERT = {
    "English": ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
    "German": ["stimme gar nicht zu", "stimme eher nicht zu", "teils/teils", "stimme eher zu", "stimme völlig zu"],
    "French": ["pas du tout d'accord", "plutôt pas d'accord", "plutôt d'accord", "tout à fait d'accord"],
    "Chinese": ["非常不同意", "不同意", "中立", "同意", "非常同意"],
}
PAIRS = {"English": ["no", "Yes"], "German": ["Nein", "ja"], "Spanish": ["no", "Sí"], "Chinese": ["否", "是"]}
for language, words in {**LIKERT, **{f"{name}, yes and no": pair for name, pair in PAIRS.items()}}.items():
    answers(f"words, {language}", worded(words))
AGREE = LIKERT["English"]
answers("words, also without case and with spaces", with_value(worded(AGREE), "  strongly AGREE ", 22, 23))
answers("words, a slip", with_value(worded(AGREE), "aggree", 9))
answers("words, a slip, skipped", with_value(worded(AGREE), "aggree", 9), on_invalid="skip")
answers("words, a number among them", with_value(worded(AGREE), "3", 9), on_invalid="skip")
answers("words, half of them numbers", with_value(worded(AGREE), "3", *range(0, 24, 2)))
answers("words, numbers among them are few", with_value(list(ROWS), "five", 3, 9), on_invalid="skip")
answers("words, numbers among them are half", with_value(list(ROWS), "five", *range(0, 24, 2)))
answers("words without an order", worded(["red", "green", "blue"]))
answers("words without an order, skipped", worded(["red", "green", "blue"]), on_invalid="skip")
answers("words of two questions", [*worded(AGREE), *worded(AGREE[:4:3] * 3, "y"), *worded(["3", "4"], "z")])
answers("words of one question, dropped", [*worded(["red", "green", "blue"], "y"), *ROWS], drop="y")
answers("words of all questions, dropped", worded(["red", "green", "blue"]), drop="x")
answers("a question to drop that is not there", worded(AGREE), drop="Y")
answers("a single word", worded(["often"]))
answers("two words that are no pair", worded(["left", "right"]))
OWN = ["mies", "ok, naja", "super"]
answers("words of a given scale", worded(OWN), scales=[OWN])
answers("words of a given scale, turned round", worded(OWN), scales=[OWN[::-1]])
answers("words of a given scale, and another", with_value(worded(OWN), "toll", 3), scales=[OWN])
answers("words of two given scales", [*worded(OWN), *worded(["a", "b"], "y")], scales=[OWN, ["b", "a"]])
answers("numbers as words of a given scale", worded(["1", "2", "9"]), scales="9,2,1")
answers("numbers with words", worded(["1 = bad", "2", "3", "4", "5 = good"]))
answers("numbers with words that differ", with_value(worded(["1 = bad", "2", "3 = good"]), "1 = worst", 4))
answers("numbers with a unit", worded(["10 kg", "12.5 kg", "14 kg"]))
answers("numbers, few with a unit", with_value(list(ROWS), "12 kg", 5))
answers("numbers with two units", with_value(worded(["10 kg", "12.5 kg", "14 kg"]), "9 lb", 4))
answers("per cent", worded(["10%", "25 %", "60%"]))
answers("decimal commas", [(*row[:3], row[3].replace(".", ",")) for row in ROWS])
answers("decimal commas with a unit", worded(["1,5 cm", "2,5 cm", "3 cm"]))
answers("decimal commas and words", with_value([(*row[:3], row[3].replace(".", ",")) for row in ROWS], "viel", 3))
answers("decimal commas, no answers", with_value([(*row[:3], row[3].replace(".", ",")) for row in ROWS], "k. A.", 3))
answers("thousands with commas", worded(["1,234", "2,345", "3,456"]))
answers("infinite", with_value(list(ROWS), "-inf", 3))
answers("nothing but infinite", worded(["inf"], "y") + list(ROWS), on_invalid="skip")
answers("words of two attributes of one scale, each with some", [*worded(AGREE[:3]), *worded(AGREE[2:], "y")])

# What is no answer.
for cell in ["", " ", "NA", "n/a", "NaN", "null", ".", "-", "don't know", "weiß nicht", "Prefer not to say", "不知道"]:
    answers(f"no answer {cell!r}", with_value(list(ROWS), cell, 3, 8))
    answers(f"no answer {cell!r} among words", with_value(worded(AGREE), cell, 3, 8))
answers("no answer at all", worded([""]))
answers("no answer for one question", [*ROWS, *worded(["n/a"], "y")])
answers("no answer for an object without a label", [*ROWS, ("zz", "x", "a", "NA")])
answers("no answer in a row without a worker", [*ROWS, ("o03", "x", "", "")])
answers("no answer in a row without anything", [*ROWS, ("", "", "", "")])
for options in ({}, {"missing": -99}, {"missing": ["-99", "x9"]}, {"missing": "-99.0"}, {"valid": -99}):
    said = ", ".join(f"{name} {value!r}" for name, value in options.items()) or "not said"
    answers(f"-99, {said}", with_value(list(ROWS), "-99", 3, 8), **options)
    answers(f"x9, {said}", with_value(list(ROWS), "x9", 3), **options)
    answers(f"-99 among words, {said}", with_value(worded(AGREE), "-99", 3), **options)
answers("none as a step", worded(["none", "some", "all"]))
answers("none as a step of a given scale", worded(["none", "some", "lots"]), scales="none,some,lots")
answers("none that is valid", with_value(worded(["yes", "no"]), "none", 3), valid="none")
answers("NA that is valid", with_value(list(ROWS), "NA", 3), valid="NA")
answers("a step that is missing", worded(AGREE), missing="Neutral")

# What a plan knows.
KNOWN = {"x": AnswerCoding.of_words("scale", {word: float(at) for at, word in enumerate(AGREE)}, name="plan")}
answers("answers that a plan knows", [*worded(AGREE), *worded(["red", "blue"], "y")], codings=KNOWN)
answers("an answer that a plan does not know", with_value(worded(AGREE), "Yes", 3), codings=KNOWN)
answers("numbers where a plan has words", list(ROWS), codings=KNOWN)
answers("words where a plan has numbers", worded(AGREE), codings={"x": PLAIN})
answers("only what a plan knows", list(ROWS), codings={"y": PLAIN})
LIMITED = {"x": AnswerCoding("number", limits=(-2.0, 14.0))}
answers("a code beside the numbers of a plan", with_value(list(ROWS), "-99", 3), codings=LIMITED)
answers("a code beside the numbers of a plan, valid", with_value(list(ROWS), "-99", 3), codings=LIMITED, valid=-99)

# Judgments that a worker repeats.
AGAIN = [*ROWS, *[(*row[:3], str(float(row[3]) + 1)) for row in ROWS[4:9]], (*ROWS[5][:3], "3")]
WORDS_AGAIN = [*worded(AGREE), *worded(AGREE[::-1])[4:9], (*ROWS[5][:3], "n/a")]
DAYS = [f"2026-03-{1 + at * 7 % 28:02} 10:00" for at in range(len(AGAIN))]
TIMES = {
    "dates": DAYS,
    "numbers": [str(at * 7 % 28 / 2) for at in range(len(AGAIN))],
    "equal": ["2026-03-01"] * len(AGAIN),
    "German dates": [f"{1 + at * 7 % 28}.3.2026 {at % 10}:05" for at in range(len(AGAIN))],
    "days or months": [f"{1 + at * 7 % 12}/{1 + at * 5 % 12}/2026" for at in range(len(AGAIN))],
    "one that cannot be read": [*DAYS[:-1], "yesterday"],
    "one that cannot be read, of a judgment that is not repeated": ["yesterday", *DAYS[1:]],
    "one that is missing": [*DAYS[:-2], "", DAYS[-1]],
}
for how in ("error", "first", "last", "mean"):
    readers = ON_ONE_MACHINE if how in ("first", "last") else ("memory", "duckdb", "dask")
    answers(f"repeated, {how}", AGAIN, repeated=how, readers=readers)
    answers(f"repeated words, {how}", WORDS_AGAIN, repeated=how, readers=readers)
    answers(f"repeated without workers, {how}", AGAIN, repeated=how, worker=None, readers=readers)
    answers(
        f"repeated with a row to skip, {how}",
        [*AGAIN, ("o03", "x", "c", "five")],
        repeated=how,
        on_invalid="skip",
        readers=readers,
    )
    for said, times in TIMES.items():
        timed = [(*row, time) for row, time in zip(AGAIN, times, strict=True)]
        answers(f"repeated at {said}, {how}", timed, repeated=how, time="time", readers=readers)
for how in ("first", "last"):
    moments = pa.array([datetime.datetime(2026, 3, 1 + at * 7 % 28) for at in range(len(AGAIN))])
    content = parquet_of([(*row, "") for row in AGAIN], time=moments)
    case(
        f"parquet: repeated at moments, {how}",
        content,
        ending=".parquet",
        repeated=how,
        time="time",
        readers=ON_ONE_MACHINE,
    )

# Types of Parquet.
TRUE = (STEPS > 0.5).tolist()
INTEGERS = pa.array([None, -99, *range(len(ROWS) - 2)], pa.int32())
ORDERED = pa.array([["lo", "mid", "hi"][int(step * 3)] for step in STEPS])
TYPES = {
    "true and false": (TRUE, {}),
    "true and false, some missing": ([None, *TRUE[1:]], {}),
    "nothing but true": ([True] * len(ROWS), {}),
    "whole numbers with a code": (INTEGERS, {"missing": -99}),
    "floats of few digits": (pa.array([float(row[3]) for row in ROWS], pa.float32()), {}),
    "floats of few digits, first": (pa.array([float(row[3]) for row in ROWS], pa.float32()), {"repeated": "mean"}),
    "an unordered dictionary": (ORDERED.dictionary_encode(), {}),
    "an unordered dictionary with a scale": (ORDERED.dictionary_encode(), {"scales": "lo,mid,hi"}),
}
for said, (values, options) in TYPES.items():
    case(f"parquet: {said}", parquet_of(ROWS, value=values), ending=".parquet", **options)
INDICES = pa.array([int(step * 3) for step in STEPS], pa.int8())
SCALE = pa.DictionaryArray.from_arrays(INDICES, pa.array(["lo", "mid", "hi"]), ordered=True)
case("parquet: an ordered dictionary", parquet_of(ROWS, value=SCALE), ending=".parquet")
case("parquet: an ordered dictionary, in order", parquet_of(ROWS, value=SCALE), ending=".parquet", repeated="mean")

# JSON has types, too.
for said, values in {
    "true and false": TRUE,
    "true, false and yes": [*TRUE[:-1], "yes"],
    "true, false and 1": [*TRUE[:-1], 1],
    "numbers, words and null": [*map(float, range(len(ROWS) - 2)), "n/a", None],
    "numbers and their texts": [*map(str, range(12)), *map(float, range(12))],
    "lists": [[1]] * len(ROWS),
}.items():
    rows = [(*row[:3], value) for row, value in zip(ROWS, values, strict=True)]
    case(f"json lines: values that are {said}", records_of(rows), ending=".jsonl")
    case(f"json lines: values that are {said}, skipped", records_of(rows), ending=".jsonl", on_invalid="skip")

# Words that nobody sees at first.
LATER = [(f"o{at % 12:02}", "x", f"w{at}", str(at % 7)) for at in range(10_100)]
case("words behind many numbers", text([*LATER, ("o03", "x", "late", "n/a"), ("o03", "x", "later", "often")]))
case("no answers behind many numbers", text([*LATER, ("o03", "x", "late", "n/a"), ("o03", "x", "later", "")]))
case("words of another attribute behind many numbers", text([*LATER, *worded(AGREE, "y")]))

# Several files, each with some of the words.
HALVES = {"a.csv": quoted(worded(AGREE)[:12], ","), "b.csv": quoted(worded(AGREE)[12:], ",")}
case("files: words, some in each", HALVES)
case("files: words in one, numbers in the other", {"a.csv": text(ROWS[:12]), "b.csv": quoted(worded(AGREE)[12:], ",")})
MIXED = {"a.csv": quoted(worded(AGREE)[:12], ","), "b.parquet": parquet_of(worded(AGREE)[12:])}
case("files: words, in text and in Parquet", MIXED)
case(
    "files: repeated judgments, the last",
    {"a.csv": text(AGAIN[:20]), "b.csv": text(AGAIN[20:])},
    repeated="last",
    readers=ON_ONE_MACHINE,
)


# Other layouts.
def wide(**columns):
    """A row for each rater of an object."""
    frame = pd.DataFrame({"essay": [row[0] for row in ROWS], "rater": [row[2] for row in ROWS]})
    return frame.assign(clear=[row[3] for row in ROWS], kind=[row[3] for row in worded(AGREE)], **columns)


def of_wide(frame, ending):
    """A wide table as a file."""
    if ending == ".jsonl":
        return frame.to_json(orient="records", lines=True, force_ascii=False)
    buffer = io.BytesIO()
    if ending == ".parquet":
        frame.to_parquet(buffer, row_group_size=10)
    elif ending == ".xlsx":
        frame.to_excel(buffer, index=False)
    else:
        frame.to_csv(buffer, index=False, sep=";" if ending == ";.csv" else ",")
    return buffer.getvalue()


NAMED = {"object": "essay", "worker": "rater", "readers": ON_ONE_MACHINE}
WIDE = {
    "plain": (wide(), {}),
    "a column to drop": (wide(age=[str(at) for at in range(24)]), {"drop": "age"}),
    "a column to drop that is not there": (wide(), {"drop": "nobody"}),
    "a column that is blank": (wide(empty=""), {}),
    "cells without an answer": (wide(more=["", "n/a", *["3"] * 20, "-99", "5"]), {"missing": -99}),
    "a cell that is no answer": (wide(more=["five", *map(str, range(23))]), {}),
    "a cell that is no answer, skipped": (wide(more=["five", *map(str, range(23))]), {"on_invalid": "skip"}),
    "words without an order": (wide(more=[["red", "green", "blue"][at % 3] for at in range(24)]), {}),
    "raters who rate twice": (pd.concat([wide(), wide()[3:5]]), {}),
    "raters who rate twice, last": (pd.concat([wide(), wide()[3:5].assign(clear="1")]), {"repeated": "last"}),
    "raters who rate twice, mean": (pd.concat([wide(), wide()[3:5].assign(clear="1")]), {"repeated": "mean"}),
    "a rater without a name": (wide().assign(rater=["", *wide()["rater"][1:]]), {}),
    "an object without a name": (wide().assign(essay=["", *wide()["essay"][1:]]), {"on_invalid": "skip"}),
    "an object without a label": (wide().assign(essay=["zz", *wide()["essay"][1:]]), {"unmatched": "drop"}),
    "answers that a plan knows": (wide(), {"codings": {"kind": KNOWN["x"]}}),
}
for said, (frame, options) in WIDE.items():
    for ending in (".csv", ";.csv", ".parquet", ".jsonl", ".xlsx"):
        kind = {";.csv": "semicolons"}.get(ending, ending.removeprefix("."))
        case(f"wide, {kind}: {said}", of_wide(frame, ending), ending=ending.removeprefix(";"), **NAMED, **options)
ONE_ROW_EACH = pd.DataFrame({"essay": [row[0] for row in ROWS[::2]], "clear_1": STEPS[::2], "clear_2": STEPS[1::2]})
for said, frame in {
    "plain": ONE_ROW_EACH,
    "a cell without an answer": ONE_ROW_EACH.assign(clear_2=[None, *STEPS[3::2]]),
    "words": ONE_ROW_EACH.assign(kind_1=["often"] * 6 + ["never"] * 6, kind_2=["rarely"] * 3 + ["often"] * 9),
}.items():
    for ending in (".csv", ".parquet", ".jsonl"):
        content = of_wide(frame, ending)
        case(f"wide by judgment, {ending}: {said}", content, ending=ending, object="essay", readers=ON_ONE_MACHINE)
