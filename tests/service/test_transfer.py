"""What a study and the tools in which people judge elsewhere give each other."""

from __future__ import annotations

import pandas as pd
import pytest

from manyjudges import Judgments, ManyJudgesError
from manyjudges.connectors import connector
from manyjudges.exceptions import JudgmentsError, StudyError
from manyjudges.service.study_planner import order_first_round
from manyjudges.service.transfer import (
    attribute_option,
    marketplaces,
    options_in,
    read_from,
    read_of_study,
    requests_of,
    take_in,
    write_for,
)
from manyjudges.study.arrivals import MARKETPLACES
from tests.support.collecting import work
from tests.support.messages import refused

JARS = ["object 0001", "object 0002"]


def judgments(rows, columns=("object", "attribute", "worker", "value")):
    return Judgments.from_frame(pd.DataFrame(rows, columns=list(columns)))


SAID = judgments([(jar, "round jar", who, float(who == "ann")) for jar in JARS for who in ("ann", "bob")])


class TestTakingIn:
    def test_twice_is_harmless(self, study):
        opened, _ = study
        first, again = (take_in(opened, "mturk", SAID) for _ in range(2))
        assert (first.added, first.workers, first.repeated) == (4, 2, 0)
        assert (again.added, again.workers, again.repeated) == (0, 0, 4)
        assert sorted(opened.store.judgments()["value"]) == [0, 0, 1, 1]
        assert {worker.source for worker in opened.store.workers()} == {"mturk"}
        assert opened.store.spending()["spent"] == 0

    def test_what_is_paid_is_spent_at_the_study_s_costs(self, study):
        opened, _ = study
        beans = judgments([(JARS[0], "number of beans", "ann", 900.0), (JARS[0], "round jar", "ann", 1.0)])
        take_in(opened, "mturk", beans, paid=True)
        assert opened.store.spending()["spent"] == 3.0

    def test_objects_of_another_study_are_named_or_dropped(self, study):
        opened, _ = study
        rows = SAID.to_frame().replace({JARS[1]: "jar of another study"})
        with refused(StudyError, value="jar of another study", column="object"):
            take_in(opened, "mturk", Judgments.from_frame(rows))
        assert opened.store.judgments().empty
        assert take_in(opened, "mturk", Judgments.from_frame(rows), unmatched="drop").added == 2
        with refused(StudyError, column="object"):
            take_in(opened, "mturk", Judgments.from_frame(rows.assign(object=["x", "x", "y", "y"])), unmatched="drop")

    def test_nobody_s_judgments_are_not_taken(self, study):
        opened, _ = study
        nameless = Judgments.from_frame(SAID.to_frame().drop(columns="worker"))
        with refused(JudgmentsError, column="worker"):
            take_in(opened, "mturk", nameless)

    @pytest.mark.parametrize(
        ("change", "value", "column"),
        [
            ({"value": 0.5}, 0.5, "round jar"),
            ({"attribute": "height"}, "height", "attributes"),
        ],
    )
    def test_what_is_no_answer_to_a_question_of_the_study_is_refused_whole(self, study, change, value, column):
        opened, _ = study
        odd = SAID.to_frame().iloc[:1].assign(worker="cat", **change)
        with refused(ManyJudgesError, value=value, column=column):
            take_in(opened, "mturk", Judgments.from_frame(pd.concat([SAID.to_frame(), odd])))
        assert opened.store.judgments().empty


class TestRequests:
    def test_what_people_have_at_hand_is_not_asked_for_again(self, study):
        opened, _ = study
        order_first_round(opened)
        before = requests_of(opened)
        assert sum(each.count for each in before.pairs) == 60 * 4 * 2
        ann = opened.store.enter("open", "ann")
        batch = opened.store.lease(ann.id, size=7)
        after = requests_of(opened)
        assert sum(each.count for each in after.pairs) == 60 * 4 * 2 - 7
        for item in batch.items:
            assert after.count(item.object, batch.attribute) == before.count(item.object, batch.attribute) - 1

    def test_where_nothing_is_open_it_says_how_to_go_on(self, study):
        opened, crowd = study
        with refused(StudyError):
            requests_of(opened)
        order_first_round(opened)
        work(opened, crowd)
        with refused(StudyError):
            requests_of(opened)


class TestFiles:
    def test_answers_are_checked_by_the_study_only_where_one_is_named(self, study, tmp_path):
        opened, _ = study
        (tmp_path / "long.csv").write_text("task,worker,label\nobject 0001,ann,0.5\n")
        options = {"attribute": "round jar"}
        found = read_from("crowd-kit", [tmp_path / "long.csv"], **options)
        assert found.to_frame()["value"].tolist() == [0.5]
        with refused(JudgmentsError, value="0.5"):
            read_of_study(opened, "crowd-kit", [tmp_path / "long.csv"], **options)

    def test_judgments_that_are_written_come_back(self, study, tmp_path):
        opened, _ = study
        take_in(opened, "mturk", SAID)
        words = write_for("crowd-kit", opened, tmp_path / "long.csv", attribute="round jar")
        assert words == "4 judgments"
        back = read_of_study(opened, "crowd-kit", [tmp_path / "long.csv"], attribute="round jar")
        assert sorted(back.to_frame()["value"]) == [0, 0, 1, 1]
        assert set(back.workers).isdisjoint({"ann", "bob"}), "pseudonyms only"

    def test_what_is_asked_for_is_said_in_words_and_begins_the_pilot(self, study, tmp_path):
        opened, _ = study
        words = write_for("potato", opened, tmp_path / "out")
        assert words == "480 judgments of 60 objects to ask for"
        assert opened.store.progress()["open"].sum() == 480


def test_the_option_that_names_attributes_is_the_tool_s_own():
    assert attribute_option("cleanlab", ["round jar"]) == {"attribute": "round jar"}
    assert attribute_option("mturk", ["round jar", "beautiful"]) == {"attributes": ["round jar", "beautiful"]}
    with pytest.raises(StudyError) as caught:
        attribute_option("cleanlab", ["round jar", "beautiful"])
    assert caught.value.value == ("round jar", "beautiful")
    assert caught.value.column == "attribute"


def test_pages_are_handed_every_marketplace():
    assert [each.name for each in marketplaces()] == list(MARKETPLACES)
    assert list(marketplaces()) == [connector(name).marketplace for name in MARKETPLACES]


class TestOptions:
    def test_each_as_the_kind_of_value_that_it_takes(self):
        assert options_in("mturk", "write", ["per_hit=10", "site=https://example.org"]) == {
            "per_hit": 10,
            "site": "https://example.org",
        }
        assert options_in("spreadsheet", "read", ["workers=no", "sheets=Ann", "sheets=Bob", "heading=2"]) == {
            "workers": False,
            "sheets": ["Ann", "Bob"],
            "heading": 2,
        }
        assert options_in("cleanlab", "write", ["classes=1", "classes=2.5"]) == {"classes": [1.0, 2.5]}
        offered = ["reward=1.50", "minutes=8", "internal_name=jars", "devices=desktop", "approve=yes"]
        assert options_in("prolific", "write", offered) == {
            "reward": "1.50",
            "minutes": 8,
            "internal_name": "jars",
            "devices": ["desktop"],
            "approve": True,
        }
        words = options_in("crowd-kit", "read", ["values=bad=0", "values=a = b=1"])
        assert words == {"values": {"bad": 0.0, "a = b": 1.0}}

    @pytest.mark.parametrize(
        ("given", "column", "value"),
        [
            ("per_hit", "option", "per_hit"),
            ("per_hit=ten", "per_hit", "ten"),
            ("perhit=10", "perhit", "perhit"),
            ("requests=1", "requests", "requests"),
        ],
    )
    def test_what_cannot_be_understood(self, given, column, value):
        with refused(StudyError, column=column, value=value):
            options_in("mturk", "write", [given])

    @pytest.mark.parametrize(
        ("name", "given", "column", "value"),
        [
            ("crowd-kit", "values=good", "values", "good"),
            ("spreadsheet", "workers=maybe", "workers", "maybe"),
            ("cleanlab", "classes=low", "classes", "low"),
            ("mturk", "object=image", "object", "object=image"),
            ("mturk", "rename=a=b", "rename", "rename=a=b"),
            ("prolific", "judgments=file.csv", "judgments", "judgments=file.csv"),
        ],
    )
    def test_what_is_no_value_or_given_elsewhere(self, name, given, column, value):
        with refused(StudyError, column=column, value=value):
            options_in(name, "read", [given])
