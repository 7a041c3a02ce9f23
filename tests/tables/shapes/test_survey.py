"""Exports of survey tools, in the layouts that these document."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.shapes.registry import recognise, to_long
from tests.support.messages import refused

ESSAYS = ["Hamlet", "Faust", "Emma"]
ROWS = 9


def table(headings, rows):
    return pd.DataFrame(rows, columns=headings, dtype=object)


def long_frame(frame, layout):
    return pd.DataFrame(to_long(frame, layout).columns)


def time(at):
    return f"2024-03-01 10:{at:02d}:00"


def which(at):
    """The essay that a response is about: each three times."""
    return ESSAYS[at % len(ESSAYS)]


def rating(at, question):
    return str((at * 3 + question * 2) % 7 + 1)


QUALTRICS = {
    "StartDate": "Start Date", "EndDate": "End Date", "Status": "Response Type", "IPAddress": "IP Address",
    "Progress": "Progress", "Duration (in seconds)": "Duration (in seconds)", "Finished": "Finished",
    "RecordedDate": "Recorded Date", "ResponseId": "Response ID", "RecipientLastName": "Recipient Last Name",
    "RecipientEmail": "Recipient Email", "LocationLatitude": "Location Latitude",
    "DistributionChannel": "Distribution Channel", "UserLanguage": "User Language",
}  # fmt: skip


def qualtrics(questions, answers, heading_rows=2):
    """An export of Qualtrics: ids, texts and import ids, then the responses."""
    headings = [*QUALTRICS, *questions]
    texts = [*QUALTRICS.values(), *questions.values()]
    ids = [json.dumps({"ImportId": heading}) for heading in headings]
    rows = [
        [time(at), time(at), "IP Address", "192.0.2.1", "100", "61", "True", time(at), f"R_{at:03d}", "", "", "48.1",
         "anonymous", "EN", *answers(at)]
        for at in range(ROWS)
    ]  # fmt: skip
    return table(headings, [texts, ids][:heading_rows] + rows)


RATED = {
    "Q1": "I agree to take part",
    "Q2": "Which essay do you rate?",
    "Q3": "How convincing is it?",
    "Q5_1": "Please rate it: - Clarity",
    "Q5_2": "Please rate it: - Style",
    "Q6_TEXT": "Anything else? - Text",
    "Q7_Page Submit": "Timing - Page Submit",
}


def rated(at):
    return ["Yes", which(at), rating(at, 0), rating(at, 1), rating(at, 2), "fine", "3.2"]


@pytest.mark.parametrize("heading_rows", [0, 1, 2])
def test_a_question_of_qualtrics_asks_which_object_is_rated(heading_rows):
    frame = qualtrics(RATED, rated, heading_rows)
    layout = recognise(frame, columns={} if heading_rows else {"object": "Q2"}, drop=[] if heading_rows else ["Q1"])
    assert (layout.shape, layout.heading_rows) == ("qualtrics", heading_rows)
    assert (layout.object, layout.worker, layout.time) == ("Q2", "ResponseId", "RecordedDate")
    assert layout.attributes == ("Q3", "Q5_1", "Q5_2")
    reasons = dict(layout.left_out)
    assert {reasons[name] for name in ("StartDate", "RecordedDate")} == {"a date or time"}
    assert reasons["Q7_Page Submit"] == reasons["Duration (in seconds)"] == "a duration"
    assert reasons["Q1"] == ("consent" if heading_rows else "dropped")
    frame = long_frame(frame, layout)
    assert frame["object"].tolist()[:6] == ["Hamlet"] * 3 + ["Faust"] * 3
    assert frame["value"].tolist()[:3] == [rating(0, 0), rating(0, 1), rating(0, 2)]
    assert frame["worker"].nunique() == ROWS


def test_embedded_data_of_qualtrics_name_the_object_and_the_person():
    questions = {"Q3": "How clear?", "essay_id": "essay_id", "PROLIFIC_PID": "PROLIFIC_PID"}
    frame = qualtrics(questions, lambda at: [rating(at, 0), which(at), f"5f1e{at % 4}"])
    layout = recognise(frame)
    assert (layout.object, layout.worker) == ("essay_id", "PROLIFIC_PID")
    assert layout.attributes == ("Q3",)


def test_loops_of_qualtrics_name_the_objects_in_their_texts():
    questions = {
        f"{turn}_{name}": text.format(turn)
        for turn in (1, 2)
        for name, text in {"Q3": "How clear is essay {}?", "Q4": "Rate the style of essay {}."}.items()
    }
    frame = qualtrics(questions, lambda at: [rating(at, question) for question in range(4)])
    layout = recognise(frame)
    assert [(each.attribute, each.object) for each in layout.measured] == [
        ("Q3", "essay 1"), ("Q4", "essay 1"), ("Q3", "essay 2"), ("Q4", "essay 2"),
    ]  # fmt: skip
    assert long_frame(frame, layout)["worker"].tolist()[:4] == ["R_000"] * 4


def test_loops_of_qualtrics_without_texts_are_numbered():
    questions = {"1_Q3": "How clear?", "2_Q3": "How clear?"}
    layout = recognise(qualtrics(questions, lambda at: [rating(at, 0), rating(at, 1)]))
    assert [each.object for each in layout.measured] == ["1", "2"]


def test_matrices_of_qualtrics_with_the_same_rows_are_about_these():
    questions = {
        f"Q{question}_{row}": f"How {word}? - {essay}"
        for question, word in enumerate(["clear", "stylish"], start=3)
        for row, essay in enumerate(ESSAYS, start=1)
    }
    layout = recognise(qualtrics(questions, lambda at: [rating(at, question) for question in range(6)]))
    assert layout.attributes == ("Q3", "Q4")
    assert [each.object for each in layout.measured] == ESSAYS * 2
    assert layout.assumed


SOSCI = ["CASE", "SERIAL", "REF", "QUESTNNR", "MODE", "STARTED"]
SOSCI_END = ["TIME001", "TIME_SUM", "MAILSENT", "LASTDATA", "FINISHED", "Q_VIEWER", "LASTPAGE", "MAXPAGE", "MISSING",
             "MISSREL", "TIME_RSI", "DEG_TIME"]  # fmt: skip


def sosci(variables, answers, labels=True, serial="", ref=lambda at: ""):
    headings = [*SOSCI, *variables, *SOSCI_END]
    first = [["Interview number (ongoing)", *["label"] * 5, *variables.values(), *["label"] * len(SOSCI_END)]]
    end = ["12", "12", "", time(9), "1", "0", "3", "3", "0", "0", "1.02", "4"]
    rows = [
        [str(101 + at), serial and f"{serial}{at % 3}", ref(at), "base", "interview", time(at), *answers(at), *end]
        for at in range(ROWS)
    ]
    return table(headings, [*first, *rows] if labels else rows)


VARIABLES = {"AB01": "Essay", "AB02_01": "Rating: Clarity", "AB02_02": "Rating: Style"}


@pytest.mark.parametrize("labels", [True, False])
def test_a_variable_of_sosci_names_the_object(labels):
    frame = sosci(VARIABLES, lambda at: [which(at), rating(at, 0), "-9"], labels, serial="KQ")
    layout = recognise(frame, columns={"object": "AB01"})
    assert (layout.shape, layout.heading_rows, layout.object, layout.worker) == ("sosci", int(labels), "AB01", "SERIAL")
    assert layout.attributes == ("AB02_01", "AB02_02")
    assert "-9" in layout.no_answer
    assert dict(layout.left_out)["TIME001"] == "a duration"


def test_items_of_sosci_that_come_in_several_questions_are_objects():
    variables = {f"AB0{q}_0{i}": f"{word}: Photo {i}" for q, word in ((1, "Tall"), (2, "Old")) for i in (1, 2)}
    layout = recognise(sosci(variables, lambda at: [rating(at, question) for question in range(4)]))
    assert [(each.attribute, each.object) for each in layout.measured][1:3] == [
        ("AB01", "Photo 2"),
        ("AB02", "Photo 1"),
    ]
    assert layout.worker == "CASE"


def google(questions, answers, address=True):
    headings = ["Timestamp", *(["Email Address"] if address else []), *questions]
    rows = [[time(at), *([f"p{at}@example.org"] if address else []), *answers(at)] for at in range(ROWS)]
    return table(headings, rows)


def test_a_question_of_google_forms_asks_which_object_is_rated():
    questions = [
        "Which essay do you rate?",
        "Rate it [Clarity]",
        "Rate it [Style]",
        "How long?\nIn words",
        "Any comments?",
    ]
    frame = google(questions, lambda at: [which(at), rating(at, 0), rating(at, 1), rating(at, 2), "fine"])
    layout = recognise(frame)
    assert (layout.shape, layout.object, layout.worker) == ("google-forms", questions[0], "Email Address")
    assert layout.attributes == ("Clarity", "Style", "How long? In words")
    assert dict(layout.left_out)["Any comments?"] == "free text"


@pytest.mark.parametrize("address", [True, False])
def test_grids_of_google_forms_name_the_objects(address):
    questions = [f"Is the person {word}? [photo {row}]" for word in ("tall", "old") for row in (1, 2)]
    frame = google([*questions, "Your age"], lambda at: ["Yes", "No", "No", "Yes", "34"], address)
    layout = recognise(frame)
    assert layout.attributes == ("Is the person tall?", "Is the person old?")
    assert [each.object for each in layout.measured] == ["photo 1", "photo 2"] * 2
    assert dict(layout.left_out)["Your age"] == "it is about no object"
    workers = long_frame(frame, layout)["worker"]
    assert workers.nunique() == ROWS
    assert layout.row_is_worker is not address
    if not address:
        assert to_long(frame, layout, sheet="monday.csv", first=20).columns["worker"][0] == "monday.csv, row 21"


def test_grids_of_google_forms_may_have_a_question_for_each_object():
    questions = [f"Essay {essay} [{word}]" for essay in (1, 2) for word in ("Clarity", "Style")]
    layout = recognise(google(questions, lambda at: ["1", "2", "3", "4"]))
    assert [(each.attribute, each.object) for each in layout.measured][:3] == [
        ("Clarity", "Essay 1"), ("Style", "Essay 1"), ("Clarity", "Essay 2"),
    ]  # fmt: skip


LIME = {"id": "Response ID", "submitdate": "Date submitted", "lastpage": "Last page",
        "startlanguage": "Start language", "seed": "Seed", "token": "Access code"}  # fmt: skip


def limesurvey(own, questions, answers):
    rows = [[str(at + 1), time(at), "3", "en", str(7919 * at + 11), f"t{at % 4}", *answers(at)] for at in range(ROWS)]
    return table([*own, *questions], rows)


@pytest.mark.parametrize(
    ("own", "questions", "attributes"),
    [
        (list(LIME), ["essay", "G01Q01", "G01Q02[SQ001]"], ("G01Q01", "G01Q02[SQ001]")),
        (list(LIME.values()), ["Which essay?", "How clear?", "Rate it [Style]"], ("How clear?", "Style")),
        (
            [f"{code}. {text}" for code, text in LIME.items()],
            ["G00Q01. Which essay?", "G01Q01. How clear?", "G01Q02[SQ001]. Rate it [Style]"],
            ("G01Q01", "G01Q02[SQ001]"),
        ),
    ],
    ids=["code", "text", "both"],
)
def test_headings_of_limesurvey_are_codes_or_texts(own, questions, attributes):
    frame = limesurvey(own, questions, lambda at: [which(at), rating(at, 0), rating(at, 1)])
    layout = recognise(frame)
    assert (layout.shape, layout.object, layout.worker) == ("limesurvey", questions[0], own[5])
    assert layout.time == own[1]
    assert layout.attributes == attributes
    assert {own[0], own[2], own[3], own[4]} <= dict(layout.left_out).keys()


def test_arrays_of_limesurvey_name_the_objects():
    questions = [
        f"G01Q0{q}[SQ00{row}]. How {word}? [{ESSAYS[row]}]" for q, word in ((1, "clear"), (2, "fair")) for row in (0, 1)
    ]
    layout = recognise(limesurvey(list(LIME), questions, lambda at: ["1", "2", "3", "4"]))
    assert [(each.attribute, each.object) for each in layout.measured][:2] == [
        ("G01Q01", "Hamlet"),
        ("G01Q01", "Faust"),
    ]


def test_codes_of_limesurvey_alone_do_not_name_objects():
    questions = [f"G01Q0{q}[SQ00{row}]" for q in (1, 2) for row in (1, 2)]
    frame = limesurvey(list(LIME), questions, lambda at: ["1", "2", "3", "4"])
    with refused(JudgmentsError, column="object"):
        recognise(frame, name="lime.csv")
    layout = recognise(frame, columns={"object": None})
    assert [each.object for each in layout.measured] == ["SQ001", "SQ002"] * 2


def test_instances_of_redcap_are_about_one_object_each():
    headings = ["record_id", "redcap_repeat_instrument", "redcap_repeat_instance", "age", "rating_timestamp", "essay",
                "clarity", "flags___1", "rating_complete"]  # fmt: skip
    first = [[str(at), "", "", "34", "", "", "", "", ""] for at in (1, 2)]
    rows = [
        [str(at), "rating", str(k), "", time(k), which(k), rating(at, k), "0", "2"] for at in (1, 2) for k in (1, 2, 3)
    ]
    layout = recognise(table(headings, [*first, *rows]))
    assert (layout.shape, layout.object, layout.worker) == ("redcap", "essay", "record_id")
    assert layout.attributes == ("clarity", "flags___1")
    assert dict(layout.left_out)["age"] == "filled in only where no object is named"
    assert layout.time == "rating_timestamp"


def test_records_of_redcap_may_be_the_objects():
    headings = ["record_id", "redcap_event_name", "rater", "clarity", "my_form_complete"]
    frame = table(headings, [[which(at), f"round_{at}", "abc"[at % 3], rating(at, 0), "2"] for at in range(ROWS)])
    layout = recognise(frame, columns={"object": "record_id"})
    assert (layout.object, layout.worker, layout.attributes) == ("record_id", "rater", ("clarity",))
    with refused(JudgmentsError, column="object"):
        recognise(frame, name="records.csv")


@pytest.mark.parametrize(
    "frame",
    [
        qualtrics({"Q2": "Item", "Q3": "How clear?"}, lambda at: [which(at), rating(at, 0)]),
        sosci(VARIABLES, lambda at: [rating(at, 0), rating(at, 1), rating(at, 2)], ref=which),
        google(["Name of it", "How clear?"], lambda at: [which(at), rating(at, 0)]),
        google(["How clear?"], lambda at: [rating(at, 0)]),
        qualtrics(
            {"Q2": "Your country", "Q3_1": "How - Hamlet", "Q3_2": "How - Emma"}, lambda at: ["abc"[at % 3], "1", "2"]
        ),
    ],
    ids=["qualtrics", "sosci", "google", "no candidate", "one matrix"],
)
def test_an_open_question_is_asked(frame):
    with refused(JudgmentsError, column="object", file="answers.csv"):
        recognise(frame, name="answers.csv")


def test_a_survey_without_answers_is_refused():
    with refused(JudgmentsError, column="object"):
        recognise(qualtrics({"Q2": "Which essay?"}, lambda at: [which(at)]), name="answers.csv")


def test_facts_about_raters_are_no_answers():
    people = ["ann", "bob", "cleo"]
    rows = [
        [f"3/1/2024 10:{at:02d}:00", f"{person}@example.org", essay, rating(at, 1), str(30 + len(person))]
        for at, (person, essay) in enumerate((person, essay) for person in people for essay in ESSAYS)
    ]
    headings = ["Timestamp", "Email Address", "Which essay did you read?", "How clear is it?", "Your age"]
    layout = recognise(table(headings, rows))
    assert layout.attributes == ("How clear is it?",)
    assert ("Your age", "the same in all rows of each rater") in layout.left_out
