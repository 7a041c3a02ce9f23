"""Exports of Prolific: who took part, and what of our judgments is theirs."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from functools import partial

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.connectors import connector, mturk, prolific
from manyjudges.connectors.prolific.drafts import WHO
from manyjudges.connectors.prolific.export import COUNTED, STATUSES, status_of
from manyjudges.connectors.requests import ObjectContent, RequestedPair, Requests
from manyjudges.exceptions import DocumentError, InvalidAnswerError, JudgmentsError, ProlificError
from manyjudges.service.export import exported
from manyjudges.service.study import open_study
from manyjudges.service.transfer import read_from
from manyjudges.study.config import read_study
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import complaint_of, refused
from tests.support.study_files import ATTRIBUTE, write

FIXTURES = ROOT / "tests" / "fixtures" / "prolific"
EXPORT = FIXTURES / "export.csv"
ROUND = Attribute(name="round", question="Is it round?", kind="binary")
TOP = 'title = "Jars & beans"\nwelcome = """Look at jars.\n \nIt takes <10 minutes."""\n'
ENTRY = '[entry]\nprolific = true\ncompletion_code = "JARS2026"\n'
SERVER = '[server]\naddress = "https://judge.example.org"\n'


def person(number):
    return f"5e9088a8a4b6ed018b45{number:04}"


def table(*rows):
    """Judgments as a study gives them, of (worker's number, object, attribute, value)."""
    return pd.DataFrame(
        {
            "object": [thing for _, thing, _, _ in rows],
            "attribute": [name for _, _, name, _ in rows],
            "worker": [f"w{who}" for who, _, _, _ in rows],
            "external": [None if who is None else person(who) if isinstance(who, int) else who for who, *_ in rows],
            "value": [value for *_, value in rows],
        }
    )


OURS = table(
    (1, "a", "round", 1.0),
    (1, "b", "round", 0.0),
    (2, "a", "round", 0.0),
    (3, "a", "round", 1.0),
    (5, "b", "round", 1.0),
    (9, "b", "round", 1.0),
    ("ABCD-EFGH-2345", "b", "round", 1.0),
    (None, "b", "round", 0.0),
)


def values(judgments):
    frame = judgments.to_frame()
    return dict(zip(zip(frame["object"], frame["worker"], strict=True), frame["value"], strict=True))


def export(folder, *rows, name="export.csv"):
    base = {"Submission id": "s1", "Participant id": person(1), "Status": "APPROVED", "Time taken": "10"}
    full = [base | row for row in rows]
    with open(folder / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(c for row in full for c in row)), restval="")
        writer.writeheader()
        writer.writerows(full)
    return folder / name


complaint = partial(complaint_of, prolific.read, error=DocumentError, judgments=OURS)


class TestParticipants:
    def test_all_submissions_with_their_times(self):
        found = prolific.participants(EXPORT)
        assert list(found.columns) == ["submission", "participant", "status", "started", "completed", "seconds", "code"]
        assert list(found["status"]) == [
            "APPROVED",
            "AWAITING REVIEW",
            "RETURNED",
            "TIMED-OUT",
            "REJECTED",
            "AWAITING REVIEW",
        ]
        assert found["started"][0] == datetime(2026, 10, 25, 12, 27, 9, 179000, tzinfo=UTC)
        assert found["completed"].isna().tolist() == [False, False, True, True, False, False]
        assert found["seconds"][0] == 1150
        assert pd.isna(found["seconds"][2])
        assert list(found["code"][:3]) == ["JARS2026", "NOCODE", ""]

    def test_older_names_of_columns(self):
        found = prolific.participants(FIXTURES / "older.csv")
        assert list(found["submission"]) == [f"5e5f9d1a2b3c4d5e6f70000{i}" for i in (1, 2, 3)]
        assert list(found["status"]) == ["APPROVED", "AWAITING REVIEW", "TIMED-OUT"]
        assert found["started"][0] == datetime(2020, 3, 4, 12, 13, 14, 567000, tzinfo=UTC)
        assert found["seconds"][0] == 420.5
        assert found["code"][0] == "ABCD1234"

    @pytest.mark.parametrize("order", [1, -1])
    def test_of_two_exports_what_was_decided_holds(self, order):
        found = prolific.participants([EXPORT, FIXTURES / "export-later.csv"][::order]).set_index("submission")
        assert len(found) == 7
        assert found.loc["671b8e95b17f880506480002", "status"] == "REJECTED"

    def test_semicolons_and_a_mark(self, tmp_path):
        text = EXPORT.read_text().replace('"Czech, English"', "English").replace(",", ";")
        (tmp_path / "e.csv").write_text(text, encoding="utf-8-sig")
        assert prolific.participants(tmp_path / "e.csv").equals(prolific.participants(EXPORT))

    @pytest.mark.parametrize(
        ("row", "column", "value"),
        [
            ({"Time taken": "ten"}, "Time taken", "ten"),
            ({"Time taken": "-3"}, "Time taken", "-3"),
            ({"Started at": "25/10/2026 12:27"}, "Started at", "25/10/2026 12:27"),
            ({"Completed at": "9999999"}, "Completed at", "9999999"),
            ({"Participant id": " "}, "Participant id", None),
            ({"Submission id": ""}, "Submission id", None),
            ({"Status": ""}, "Status", None),
        ],
    )
    def test_what_cannot_be_read_is_named(self, tmp_path, row, column, value):
        path = export(tmp_path, row)
        with refused(DocumentError, value=value, row=2, column=column, file="export.csv"):
            prolific.participants(path)

    def test_a_column_that_is_not_there(self, tmp_path):
        (tmp_path / "e.csv").write_text("Participant id,Status\na,APPROVED\n")
        with refused(DocumentError, file="e.csv"):
            prolific.participants(tmp_path / "e.csv")

    def test_a_submission_of_two_people(self, tmp_path):
        path = export(tmp_path, {}, {"Participant id": person(2)})
        with refused(DocumentError, row=3, file="export.csv"):
            prolific.participants(path)

    def test_no_file(self, tmp_path):
        with refused(DocumentError, column="path"):
            prolific.participants([])
        with refused(DocumentError, file=str(tmp_path / "none.csv")):
            prolific.participants(tmp_path / "none.csv")

    @given(st.sampled_from(STATUSES), st.booleans(), st.sampled_from(["", " ", "_"]))
    def test_a_status_is_known_however_it_is_written(self, status, lower, blank):
        written = status.replace(" ", blank or " ")
        assert status_of(written.lower() if lower else written) == status


class TestReading:
    def test_judgments_of_those_who_count(self):
        found = prolific.read(EXPORT, judgments=OURS)
        assert values(found) == {("a", person(1)): 1, ("b", person(1)): 0, ("a", person(2)): 0}

    def test_those_who_were_rejected(self):
        found = prolific.read(EXPORT, judgments=OURS, rejected=True)
        assert set(found.workers) == {person(1), person(2), person(5)}

    def test_other_statuses(self):
        found = prolific.read(EXPORT, judgments=OURS, statuses=["returned", "TIMED_OUT"])
        assert set(found.workers) == {person(3)}
        assert set(prolific.read(EXPORT, judgments=OURS, statuses="approved").workers) == {person(1)}

    def test_somebody_counts_who_was_approved_once(self):
        found = prolific.read([EXPORT, FIXTURES / "export-later.csv"], judgments=OURS)
        assert set(found.workers) == {person(1), person(3)}

    def test_the_studys_own_names(self):
        found = prolific.read(EXPORT, judgments=OURS, pseudonyms=True)
        assert set(found.workers) == {"w1", "w2"}

    def test_a_table_whose_workers_have_their_names(self):
        frame = OURS.assign(worker=OURS["external"]).drop(columns="external")
        assert values(prolific.read(EXPORT, judgments=frame)) == values(prolific.read(EXPORT, judgments=OURS))
        whole = Judgments.from_frame(frame.dropna())
        assert values(prolific.read(EXPORT, judgments=whole)) == values(prolific.read(EXPORT, judgments=OURS))

    def test_attributes_and_other_names(self):
        both = pd.concat([OURS, OURS.assign(attribute="heavy")])
        found = prolific.read(EXPORT, judgments=both, attributes=["heavy"], rename={"heavy": "weight"})
        assert list(found.attributes) == ["weight"]
        assert list(prolific.read(EXPORT, judgments=both, questions={"round": ROUND}).attributes) == ["round"]

    def test_another_column_for_the_object(self):
        frame = OURS.rename(columns={"object": "jar"})
        assert values(prolific.read(EXPORT, judgments=frame, object="jar")) == values(
            prolific.read(EXPORT, judgments=OURS)
        )

    def test_without_judgments_it_says_what_to_do(self):
        complaint(EXPORT, judgments=None, error=JudgmentsError, column="judgments")

    @pytest.mark.parametrize(
        ("options", "fields"),
        [
            ({"judgments": OURS.drop(columns="value")}, {"error": JudgmentsError, "column": "value"}),
            (
                {"judgments": "judgments.csv"},
                {"error": JudgmentsError, "value": "judgments.csv", "column": "judgments"},
            ),
            ({"statuses": ["FINISHED"]}, {"error": JudgmentsError, "value": "FINISHED", "column": "statuses"}),
            ({"statuses": ["SCREENED OUT"]}, {"error": JudgmentsError, "file": "export.csv"}),
            (
                {"attributes": ["heavy"]},
                {"error": JudgmentsError, "value": "heavy", "column": "attributes", "file": "export.csv"},
            ),
            ({"questions": {"heavy": ROUND}}, {"error": JudgmentsError, "column": "attributes", "file": "export.csv"}),
            ({"judgments": OURS.drop(columns="external")}, {"error": JudgmentsError, "file": "export.csv"}),
            ({"judgments": OURS.iloc[:0]}, {"error": JudgmentsError, "file": "export.csv"}),
            (
                {"judgments": table((1, "a", "round", 7.0)), "questions": {"round": ROUND}},
                {"error": InvalidAnswerError, "value": 7.0, "row": 1, "column": "round"},
            ),
            (
                {"judgments": pd.concat([OURS, OURS])},
                {"error": JudgmentsError, "value": "5e9088a8a4b6ed018b450001", "row": 9},
            ),
            (
                {"judgments": table((1, "a", "other", 1.0)), "attributes": ["other"], "questions": {"round": ROUND}},
                {"value": "other", "row": 1, "column": "attribute"},
            ),
        ],
    )
    def test_what_is_wrong_is_said(self, options, fields):
        complaint(EXPORT, **options, **fields)

    def test_nobody_left_who_judged(self):
        complaint(EXPORT, judgments=table((5, "a", "round", 1.0)), error=JudgmentsError, file="export.csv")

    @settings(max_examples=50)
    @given(st.lists(st.sampled_from(STATUSES), min_size=1, max_size=8))
    def test_what_is_kept_and_what_is_left_out_is_everything(self, tmp_path_factory, statuses):
        folder = tmp_path_factory.mktemp("exports")
        people = range(len(statuses))
        rows = [
            {"Submission id": f"s{at}", "Participant id": person(at), "Status": status}
            for at, status in enumerate(statuses)
        ]
        path = export(folder, *rows)
        ours = table(*((at, "a", "round", 1.0) for at in people))
        kept: set[str] = set()
        for wanted in (COUNTED, [status for status in STATUSES if status not in COUNTED]):
            if set(wanted) & set(statuses):
                found = set(prolific.read(path, judgments=ours, statuses=wanted).workers)
                assert not kept & found
                kept |= found
        assert kept == {person(at) for at in people}

    def test_a_study_on_its_own_page(self, tmp_path):
        """What somebody judged on the page is joined with the export of the same person."""
        write(tmp_path, TOP + ENTRY + ATTRIBUTE)
        (tmp_path / "objects.csv").write_text("id,label,text\n" + "".join(f"j{i},{i},jar {i}\n" for i in range(4)))
        with open_study(tmp_path, update=True) as opened:
            opened.store.take_in(
                "prolific", [("j0", "round", person(1), 1.0), ("j0", "round", person(3), 0.0)], paid=False
            )
            ours = exported(opened, worker_ids=True)
        found = prolific.read(EXPORT, judgments=ours, questions={"round": ROUND})
        assert values(found) == {("j0", person(1)): 1}
        again = read_from("prolific", [EXPORT], study=read_study(tmp_path), judgments=ours)
        assert values(again) == values(found)

    def test_the_export_of_another_study_is_told_with_questions_too(self):
        with refused(JudgmentsError, file="export.csv"):
            prolific.read(EXPORT, judgments=table((8, "a", "round", 1.0)), questions={"round": ROUND})
        with refused(JudgmentsError, file="export.csv"):
            prolific.read(EXPORT, judgments=OURS, questions={"round": ROUND}, statuses=["RESERVED"])


class TestJoined:
    def test_who_did_what(self):
        found = prolific.joined(EXPORT, OURS, code="JARS2026").set_index("participant")
        assert list(found.index) == [person(i) for i in (1, 2, 3, 4, 5, 6, 9)]
        assert list(found["judgments"]) == [2, 1, 1, 0, 1, 0, 1]
        assert list(found["remark"]) == [
            "",
            "no code",
            "judged, but did not submit",
            "",
            "",
            "submitted, but judged nothing",
            "judged, but has no submission",
        ]
        assert found["code_right"].tolist() == [True, False, pd.NA, pd.NA, True, True, pd.NA]
        assert found.loc[person(1), "seconds"] == 1150
        assert found.loc[person(9), "status"] == ""

    def test_a_wrong_code_and_several_right_ones(self):
        found = prolific.joined(EXPORT, OURS, code="OTHER").set_index("participant")
        assert found.loc[person(1), "remark"] == "another code"
        found = prolific.joined(EXPORT, OURS, code=["OTHER", "JARS2026", "NOCODE"])
        assert found["code_right"].dropna().all()

    def test_without_a_code_nobody_is_wrong(self):
        found = prolific.joined(EXPORT, OURS)
        assert found["code_right"].isna().all()
        assert "no code" not in set(found["remark"])

    def test_of_several_submissions_the_best(self):
        found = prolific.joined([EXPORT, FIXTURES / "export-later.csv"], OURS).set_index("participant")
        assert found.loc[person(3), "status"] == "APPROVED"
        assert found.loc[person(3), "submission"] == "671b8e95b17f880506480007"
        assert found.loc[person(3), "submissions"] == 2

    def test_a_table_instead_of_a_file(self):
        assert prolific.joined(prolific.participants(EXPORT), OURS).equals(prolific.joined(EXPORT, OURS))
        with refused(JudgmentsError, column="submission"):
            prolific.joined(OURS, OURS)
        with refused(JudgmentsError, column="judgments"):
            prolific.joined(EXPORT, None)

    def test_everybody_did_both(self):
        found = prolific.joined(prolific.participants(EXPORT).iloc[:1], OURS.iloc[:2], code="JARS2026")
        assert found["remark"].tolist() == [""]
        assert found["submissions"].tolist() == [1]


class TestWriting:
    def requests(self):
        return Requests(
            (RequestedPair("a", "round", 3), RequestedPair("b", "round", 5)),
            {"round": ROUND},
            {"a": ObjectContent(text="A"), "b": ObjectContent(text="B")},
            title="Jars",
            welcome="Look.",
        )

    def study(self, folder, entry=ENTRY, server=SERVER, top=TOP):
        return read_study(write(folder, top + entry + server + ATTRIBUTE))

    def test_a_draft_of_a_study(self, tmp_path):
        study = self.study(tmp_path)
        prolific.write(study, tmp_path / "d.json", reward="1.50", places=20, minutes=8, internal_name="jars 1")
        assert json.loads((tmp_path / "d.json").read_text()) == {
            "name": "Jars & beans",
            "internal_name": "jars 1",
            "description": "<p>Look at jars.</p><p>It takes &lt;10 minutes.</p>",
            "external_study_url": f"https://judge.example.org/?{WHO}",
            "prolific_id_option": "url_parameters",
            "completion_codes": [
                {"code": "JARS2026", "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
            ],
            "total_available_places": 20,
            "estimated_completion_time": 8,
            "reward": 150,
            "device_compatibility": ["desktop", "tablet", "mobile"],
            "peripheral_requirements": [],
            "filters": [],
        }

    def test_requests_leave_open_what_they_do_not_know(self, tmp_path):
        with refused(DocumentError, value=".csv", file=str(tmp_path / "d.csv")):
            prolific.write(self.requests(), tmp_path / "d.csv")
        prolific.write(self.requests(), tmp_path / "d.json")
        found = json.loads((tmp_path / "d.json").read_text())
        assert found["total_available_places"] == 5
        assert {name for name, value in found.items() if value is None} == {
            "internal_name",
            "external_study_url",
            "estimated_completion_time",
            "reward",
        }

    def test_requests_with_their_study(self, tmp_path):
        path = tmp_path / "d.json"
        prolific.write(self.requests(), path, study=self.study(tmp_path), devices="desktop", approve=True, places=2)
        found = json.loads(path.read_text())
        assert found["external_study_url"].startswith("https://judge.example.org/?PROLIFIC_PID={{%PROLIFIC_PID%}}&")
        assert found["completion_codes"][0]["code"] == "JARS2026"
        assert found["completion_codes"][0]["actions"] == [{"action": "AUTOMATICALLY_APPROVE"}]
        assert found["device_compatibility"] == ["desktop"]
        assert found["total_available_places"] == 2

    def test_a_table_of_requests(self, tmp_path):
        frame = pd.DataFrame({"object": ["a"], "attribute": ["round"], "count": [4]})
        prolific.write(frame, tmp_path / "d.json", most_minutes=30, project="p1", description="Hello.")
        found = json.loads((tmp_path / "d.json").read_text())
        assert (found["maximum_allowed_time"], found["project"]) == (30, "p1")
        assert found["description"] == "<p>Hello.</p>"

    def test_the_code_of_the_address(self, tmp_path):
        entry = '[entry]\nprolific = true\ncompletion_address = "https://app.prolific.com/submissions/complete?cc=C1"\n'
        prolific.write(self.study(tmp_path, entry), tmp_path / "d.json")
        assert json.loads((tmp_path / "d.json").read_text())["completion_codes"][0]["code"] == "C1"

    def test_a_page_with_a_query(self, tmp_path):
        study = self.study(tmp_path)
        prolific.write(study, tmp_path / "d.json", page="https://judge.example.org/a/?x=1")
        assert json.loads((tmp_path / "d.json").read_text())["external_study_url"] == (
            f"https://judge.example.org/a/?x=1&{WHO}"
        )

    @pytest.mark.parametrize(
        "terms",
        [
            {"reward": "1.505"},
            {"reward": "£1"},
            {"reward": 0},
            {"reward": True},
            {"reward": float("nan")},
            {"places": 0},
            {"minutes": 2.5},
            {"internal_name": " "},
            {"devices": ["watch"]},
            {"devices": []},
            {"page": "judge.example.org"},
            {"page": "http://127.0.0.1:8000"},
            {"page": f"https://x.org/?{WHO}"},
        ],
    )
    def test_what_makes_no_sense_is_refused_and_nothing_is_written(self, tmp_path, terms):
        [(column, value)] = terms.items()
        with refused(ProlificError, column=column, value=value):
            prolific.write(self.study(tmp_path), tmp_path / "d.json", **terms)
        assert not (tmp_path / "d.json").exists()

    def test_an_option_that_there_is_not(self, tmp_path):
        with refused(ProlificError, column="rewards", value="rewards"):
            prolific.write(self.study(tmp_path), tmp_path / "d.json", rewards=1)

    @pytest.mark.parametrize(
        ("entry", "key", "value"),
        [
            ("[entry]\nprolific = false\n", "prolific", False),
            (
                ENTRY + 'completion_address = "https://app.prolific.com/submissions/complete?cc=OTHER"\n',
                "completion_address",
                "OTHER",
            ),
        ],
    )
    def test_a_study_that_would_not_know_them(self, tmp_path, entry, key, value):
        study = self.study(tmp_path, entry)
        file = study.folder / "study.toml"
        row = [line.partition(" = ")[0] for line in file.read_text().splitlines()].index(key) + 1
        with refused(ProlificError, column=f"entry.{key}", value=value, row=row, file=str(file)):
            prolific.write(study, tmp_path / "d.json")


class TestDetecting:
    def test_exports(self, tmp_path):
        for name in ("export.csv", "export-later.csv", "older.csv"):
            assert prolific.detects(FIXTURES / name)
            assert not mturk.detects(FIXTURES / name)
        (tmp_path / "e.csv").write_text(EXPORT.read_text(), encoding="utf-16")
        assert prolific.detects(tmp_path / "e.csv")

    def test_others(self, tmp_path):
        for path in (FIXTURES.parent / "mturk").iterdir():
            assert not prolific.detects(path)
        assert not prolific.detects(tmp_path)
        assert not prolific.detects(tmp_path / "none.csv")
        for text in ("", "object,attribute,worker,value\n", '"a\n', "Participant id,Status\n", "\0\0"):
            (tmp_path / "x.csv").write_text(text)
            assert not prolific.detects(tmp_path / "x.csv")

    def test_it_is_a_connector(self):
        assert connector("prolific") is prolific.CONNECTOR
        assert prolific.CONNECTOR.output == "a .json file"
