"""What is asked of each object is the same of a table that is scanned as of one in memory."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from manyjudges import Moments, MultiSelectRegressor, Plan, fit_predictor, read_judgments, read_labels, select
from manyjudges.exceptions import DataWarning, JudgmentsError, MissingJudgmentsError
from manyjudges.learn.object_tables import ObjectTable, missing_in
from manyjudges.learn.predictor import predictions_in
from manyjudges.learn.predictors.registry import PREDICTORS
from manyjudges.learn.training_data import load_training_data
from manyjudges.scan.options import ScanOptions
from tests.support.messages import ANYTHING, refused
from tests.support.scanned import call, crowd

SCANNED = {"memory_limit": "1GB"}


@pytest.fixture
def files(tmp_path):
    """Judgments and labels in files; a few judgments are lacking."""
    frame, labels = crowd(gaps=0.1, k=3)
    frame.to_csv(tmp_path / "judgments.csv", index=False)
    labels.rename("label").rename_axis("object").to_csv(tmp_path / "labels.csv")
    return tmp_path


def plan_of(folder, budget=5):
    judgments, labels = read_judgments(folder / "judgments.csv"), read_labels(folder / "labels.csv")
    return select(Moments.estimate(judgments, labels), budget).with_answers({})


def tables(path, plan, **reading):
    return [ObjectTable(path, ScanOptions.of(**reading, **how), plan) for how in ({}, SCANNED)]


def test_missing(files):
    plan = plan_of(files, budget=9)
    read, scanned = (missing_in(table, plan) for table in tables(files / "judgments.csv", plan))
    pd.testing.assert_frame_equal(read, scanned)
    assert len(read) > 10
    pd.testing.assert_frame_equal(read, plan.missing(read_judgments(files / "judgments.csv")))


def test_missing_of_objects_without_an_answer(files):
    plan = plan_of(files)
    frame = pd.read_csv(files / "judgments.csv")
    frame.loc[frame["object"] == frame["object"].iloc[7], "value"] = np.nan
    frame.to_csv(files / "judgments.csv", index=False)
    read, scanned = (missing_in(table, plan) for table in tables(files / "judgments.csv", plan))
    pd.testing.assert_frame_equal(read, scanned)
    lacking = read[read["object"] == frame["object"].iloc[7]]
    assert dict(zip(lacking["attribute"], lacking["count"], strict=True)) == plan.repeats
    assert read["object"].is_monotonic_increasing


@pytest.mark.parametrize("kind", PREDICTORS)
@pytest.mark.parametrize("by_numbers", [False, True])
def test_predictions(files, kind, by_numbers):
    if by_numbers:
        for name in ("judgments.csv", "labels.csv"):
            frame = pd.read_csv(files / name)
            frame.assign(object=frame["object"].str[-4:].astype(int)).to_csv(files / name, index=False)
    plan = Plan.from_json(plan_of(files, budget=2).to_json())
    complete = read_judgments(files / "judgments.csv")
    lacking = set(plan.missing(complete)["object"])
    labels = read_labels(files / "labels.csv").drop(list(lacking))
    predictor = fit_predictor(plan, complete.subset(labels.index), labels, predictor=kind)
    frame = complete.subset(labels.index).to_frame()
    frame.sample(frac=1, random_state=0).to_csv(files / "new.csv", index=False)
    read, scanned = (predictions_in(table, predictor) for table in tables(files / "new.csv", plan))
    pd.testing.assert_frame_equal(read, scanned, rtol=1e-9)
    assert len(read) == len(labels)


@pytest.fixture(params=[False, True], ids=["names", "numbers"])
def unanswered(files, request):
    """A table in which one object has no answer at all, and one answers only to what the plan did not choose."""
    frame = pd.read_csv(files / "judgments.csv")
    if request.param:
        for name in ("judgments.csv", "labels.csv"):
            own = pd.read_csv(files / name)
            own.assign(object=own["object"].str[-4:].astype(int)).to_csv(files / name, index=False)
        frame = pd.read_csv(files / "judgments.csv")
    plan = plan_of(files, budget=2)
    blank, other = frame["object"].unique()[[7, 3]]
    frame.loc[frame["object"] == blank, "value"] = np.nan
    frame = frame[(frame["object"] != other) | ~frame["attribute"].isin(plan.repeats)]
    assert other in set(frame["object"])
    frame.to_csv(files / "new.csv", index=False)
    return plan, frame, sorted([blank, other])


def test_objects_without_an_answer_are_predicted_and_named(files, unanswered):
    plan, frame, names = unanswered
    labels = read_labels(files / "labels.csv")
    predictor = fit_predictor(plan, files / "judgments.csv", labels)
    both = tables(files / "new.csv", plan)
    read, scanned = (predictions_in(table, predictor) for table in both)
    pd.testing.assert_frame_equal(read, scanned, rtol=1e-9)
    assert read["object"].tolist() == sorted(frame["object"].unique())
    without = read["object"].isin(names)
    np.testing.assert_allclose(read["prediction"][without], predictor.moments.label_mean)
    assert read["std"][without].min() > read["std"][~without].max()
    for table in both:
        [warning] = table.warnings
        assert (warning.kind, warning.values) == ("unanswered_objects", {"objects": tuple(names)})
        assert all(str(name) in str(warning) for name in names)
    for source in (files / "new.csv", frame):
        with pytest.warns(DataWarning, match="2 objects have no answer"):
            predicted, std = predictor.predict(source, return_std=True)
        assert predicted.index.tolist() == std.index.tolist() == read["object"].tolist()
        np.testing.assert_allclose(predicted, read["prediction"])
    (files / "model.json").write_text(predictor.to_json(), encoding="utf-8")
    for how in ([], ["--memory-limit=1GB"]):
        told = call("predict", files / "model.json", files / "new.csv", f"--out={files}/predictions.csv", *how)
        assert f"warning: {both[0].warnings[0]}\n" in told
        assert pd.read_csv(files / "predictions.csv")["object"].tolist() == read["object"].tolist()


def test_least_squares_refuses_objects_without_an_answer(files):
    plan = plan_of(files, budget=2)
    complete = read_judgments(files / "judgments.csv")
    whole = complete.subset(sorted(set(complete.objects) - set(plan.missing(complete)["object"])))
    labels = read_labels(files / "labels.csv").loc[list(whole.objects)]
    predictor = fit_predictor(plan, whole, labels, predictor="least_squares")
    frame = whole.to_frame()
    blank = frame["object"].iloc[-1]
    frame.loc[frame["object"] == blank, "value"] = np.nan
    frame.to_csv(files / "new.csv", index=False)
    for table in tables(files / "new.csv", plan):
        with refused(JudgmentsError, row=blank, column=ANYTHING):
            predictions_in(table, predictor)


def test_attributes_that_the_table_lacks_are_named(files):
    """By the command and in Python, in memory and scanned."""
    plan = plan_of(files, budget=5)
    lacking = next(iter(plan.repeats))
    predictor = fit_predictor(plan, files / "judgments.csv", read_labels(files / "labels.csv"))
    (files / "model.json").write_text(predictor.to_json(), encoding="utf-8")
    frame = pd.read_csv(files / "judgments.csv")
    frame = frame[frame["attribute"] != lacking]
    frame.to_csv(files / "few.csv", index=False)
    sentence = f"this table has no judgments of {lacking!r}, which the plan asks for"
    for source in (files / "few.csv", frame):
        with pytest.warns(DataWarning, match=re.escape(sentence)) as warned:
            predictor.predict(source)
        assert warned[0].message.kind == "absent_attributes"
        assert warned[0].filename == __file__
        with pytest.warns(DataWarning, match=re.escape(sentence)):
            MultiSelectRegressor.from_json(predictor.to_json()).predict(source)
    for how in ([], ["--memory-limit=1GB"]):
        assert f"warning: {sentence}\n" in call("predict", files / "model.json", files / "few.csv", *how)


def test_a_plan_that_buys_nothing_predicts_the_mean(files):
    plan = plan_of(files, budget=0.5)
    assert not plan.repeats
    predictor = fit_predictor(plan, files / "judgments.csv", read_labels(files / "labels.csv"))
    read, scanned = (predictions_in(table, predictor) for table in tables(files / "judgments.csv", plan))
    pd.testing.assert_frame_equal(read, scanned)
    assert read["prediction"].nunique() == 1


def test_judgments_of_nothing_that_the_model_asks_for(files):
    plan = plan_of(files, budget=2)
    labels = read_labels(files / "labels.csv")
    predictor = fit_predictor(plan, files / "judgments.csv", labels)
    frame = pd.read_csv(files / "judgments.csv")
    frame[~frame["attribute"].isin(plan.repeats)].to_csv(files / "others.csv", index=False)
    for table in tables(files / "others.csv", plan):
        with refused(JudgmentsError, value=next(iter(plan.repeats)), column="attribute"):
            predictions_in(table, predictor)


def test_what_was_understood_and_skipped(files):
    plan = plan_of(files)
    frame = pd.read_csv(files / "judgments.csv").astype({"value": object})
    frame.loc[3, "value"], frame.loc[5, "value"] = "five", "don't know"
    frame.to_csv(files / "judgments.csv", index=False)
    read, scanned = tables(files / "judgments.csv", plan, on_invalid="skip")
    pd.testing.assert_frame_equal(missing_in(read, plan), missing_in(scanned, plan))
    assert read.invalid == scanned.invalid
    assert [row.row for row in read.invalid] == [4]
    assert (scanned.reading.skipped, scanned.reading.unanswered) == (1, 1)


@pytest.mark.parametrize("code", [9999, -99])
def test_codes_that_the_plan_never_saw(files, code):
    data = load_training_data(files / "judgments.csv", files / "labels.csv")
    plan = select(data.moments, 5).with_answers(data.answers)
    frame = pd.read_csv(files / "judgments.csv")
    frame.loc[[4, 8], "value"] = code
    frame.to_csv(files / "new.csv", index=False)
    for table in tables(files / "new.csv", plan):
        with refused(JudgmentsError, value=f"{code}.0", row=5, column="value", file="new.csv"):
            missing_in(table, plan)
    for option, unanswered in (("missing", 2), ("valid", 0)):
        read, scanned = tables(files / "new.csv", plan, **{option: code})
        pd.testing.assert_frame_equal(missing_in(read, plan), missing_in(scanned, plan))
        assert scanned.reading.unanswered == read.reading.unanswered == unanswered


class TestCommands:
    """The same as of a table in memory, to the letter or to rounding."""

    @pytest.fixture
    def planned(self, files):
        call("plan", *self.tables(files), "--budget=3", "--method=full", "--no-error", f"--out={files}/plan.json")
        return files

    @staticmethod
    def tables(folder):
        return [folder / "judgments.csv", folder / "labels.csv"]

    def test_fit_and_predict(self, planned):
        models = []
        for how in ([], ["--memory-limit=1GB"]):
            told = call(
                "fit", planned / "plan.json", *self.tables(planned), f"--out={planned}/model.json", "--json", *how
            )
            models.append(json.loads(told))
        close(*map(without_quantiles, models))
        asked = [planned / "model.json", planned / "judgments.csv", "--json"]
        close(*(json.loads(call("predict", *asked, *how)) for how in ([], ["--memory-limit=1GB"])))

    def test_least_squares_that_lacks_judgments(self, planned):
        asked = ["fit", planned / "plan.json", *self.tables(planned), "--predictor=least_squares"]
        first, second = (call(*asked, *how, code=2) for how in ([], ["--memory-limit=1GB"]))
        assert first == second
        assert "judgments that are missing" in first

    def test_missing(self, planned):
        asked = ["missing", planned / "plan.json", planned / "judgments.csv", "--json"]
        first, second = (call(*asked, *how) for how in ([], ["--memory-limit=1GB"]))
        assert json.loads(first) == json.loads(second)
        assert json.loads(first)["missing"]


def close(one, other):
    """Equal but for rounding."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            close(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            close(first, second)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-7, abs=1e-9)
    else:
        assert one == other


def without_quantiles(document):
    """How far held-out predictions are off is seen where the judgments lie in memory."""
    document = document | ({"model": without_quantiles(document["model"])} if "model" in document else {})
    return {key: value for key, value in document.items() if key != "quantiles"}


@pytest.mark.parametrize("kind", [name for name, method in PREDICTORS.items() if not method.keeps_curve])
def test_fit_predictor_reads_large_files_again(files, kind, monkeypatch):
    """A path of a file that is too large to be read whole gives the same predictor as the table in memory."""
    plan = plan_of(files, budget=2)
    complete = read_judgments(files / "judgments.csv")
    labels = read_labels(files / "labels.csv").drop(sorted(set(plan.missing(complete)["object"])))
    complete.subset(labels.index).to_frame().to_csv(files / "complete.csv", index=False)
    whole = fit_predictor(plan, files / "complete.csv", labels, predictor=kind)
    monkeypatch.setattr("manyjudges.learn.training_data.is_large", lambda *_args, **_options: True)
    again = fit_predictor(plan, files / "complete.csv", labels, predictor=kind)
    assert again.quantiles == ()
    close(*map(without_quantiles, (whole.to_document(), again.to_document())))


def test_least_squares_needs_all_planned_judgments(files):
    plan = plan_of(files, budget=9)
    labels = read_labels(files / "labels.csv")
    missing = plan.missing(read_judgments(files / "judgments.csv"))
    first = missing.iloc[0]
    with refused(MissingJudgmentsError, value=int(first["count"]), row=first["object"], column=ANYTHING) as caught:
        fit_predictor(plan, files / "judgments.csv", labels, predictor="least_squares")
    pd.testing.assert_frame_equal(caught.value.missing, missing)
