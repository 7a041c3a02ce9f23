from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from manyjudges import (
    Judgments,
    ManyJudgesError,
    Moments,
    MultiSelectRegressor,
    Predictor,
    answer,
    fit_predictor,
    select,
    simulate,
)
from manyjudges.exceptions import DocumentError, JudgmentsError, MissingJudgmentsError, MomentsError, PlanError
from tests.support.messages import refused


@parametrize_with_checks(
    [MultiSelectRegressor(5), MultiSelectRegressor(5, method="scoring", shrinkage=0, predictor="least_squares")]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


CROWD, PILOT = (120, 5, 2), 2


@pytest.fixture(scope="module")
def block(pilot):
    return pilot.to_frame()["value"].to_numpy().reshape(120, 5, 2)


@pytest.fixture(scope="module")
def y(crowd, pilot):
    return crowd.labels.loc[pilot.objects].to_numpy()


def test_checks_can_be_muted():
    few = simulate.gaussian(20, 3, random_state=4)
    assert [each.code for each in MultiSelectRegressor(5).fit(few.pilot(2), few.labels).warnings_] == ["MJ101"]
    quiet = MultiSelectRegressor(5, mute=("MJ101",)).fit(few.pilot(2), few.labels)
    assert quiet.warnings_ == ()
    assert clone(quiet).mute == ("MJ101",)
    with refused(ManyJudgesError, value="MJ999", column="mute"):
        MultiSelectRegressor(5, mute=("MJ999",)).fit(few.pilot(2), few.labels)


def test_fit_is_estimate_select_and_fit(crowd, pilot):
    costs = {"a1": 2}
    model = MultiSelectRegressor(9, method="full", costs=costs, shrinkage=0.2).fit(pilot, crowd.labels)
    moments = Moments.estimate(pilot, crowd.labels)
    plan = select(moments, 9, costs=costs, shrinkage=0.2)
    assert model.plan_ == plan.with_answers(model.plan_.answers)
    np.testing.assert_array_equal(model.moments_.covariance, moments.covariance)
    fitted = fit_predictor(plan, pilot, crowd.labels, moments=moments)
    np.testing.assert_allclose(model.coef_[plan.to_array() > 0], fitted.coefficients)
    assert (model.coef_[plan.to_array() == 0] == 0).all()
    assert model.intercept_ == fitted.bias
    new = crowd.more(10).follow(plan)
    np.testing.assert_array_equal(model.predict(new), fitted.predict(new))


def test_all_kinds_of_x_are_the_same(crowd, pilot, block, y):
    flat = block.reshape(120, 10)
    names = [name for name in pilot.attributes for _ in range(2)]
    columns = [f"{name}.{j}" for name in pilot.attributes for j in range(2)]
    frame = pd.DataFrame(flat, columns=columns)
    kinds = {
        "judgments": (pilot, crowd.labels, None),
        "block": (block, y, list(pilot.attributes)),
        "array": (flat, y, names),
        "frame": (frame, y, names),
        "mapping": (frame, y, dict(zip(columns, names, strict=True))),
        "polars": (pl.from_pandas(frame), y, names),
    }
    reference = MultiSelectRegressor(9).fit(pilot, y)
    for name, (X, labels, attributes) in kinds.items():
        model = MultiSelectRegressor(9, attributes=attributes).fit(X, labels)
        assert model.plan_.repeats == reference.plan_.repeats, name
        np.testing.assert_allclose(model.predict(X), reference.predict(pilot), rtol=1e-10)
        assert model.n_features_in_ == (5 if name in ("judgments", "block") else 10)
        assert hasattr(model, "feature_names_in_") == (name != "array")


def test_columns_that_stand_alone_have_no_noise(rng):
    X = rng.normal(size=(60, 4))
    y = X @ [3, 0, 2, 1] + 0.01 * rng.normal(size=60)
    model = MultiSelectRegressor(2).fit(X, y)
    assert model.plan_.repeats == {"x0": 1, "x2": 1}
    assert (model.moments_.noise == 0).all()
    mixed = MultiSelectRegressor(3, attributes=["a", "a", "b", "c"]).fit(X, y)
    assert mixed.moments_.attributes == ("a", "b", "c")
    assert mixed.moments_.noise[0] > 0
    assert (mixed.moments_.noise[1:] == 0).all()


def test_missing_and_surplus_judgments(crowd, block, y):
    model = MultiSelectRegressor(9).fit(block, y)
    gappy = block.copy()
    gappy[0] = np.nan
    gappy[1, :, 1] = np.nan
    predictions, deviations = model.predict(gappy, return_std=True)
    assert predictions[0] == pytest.approx(y.mean())
    assert deviations[0] == pytest.approx(y.std(), rel=0.01)
    assert deviations[1] > deviations[2]
    assert model.predict(np.concatenate([block, block], axis=2)).shape == (120,)


def test_least_squares_says_what_is_missing(pilot, y):
    with refused(MissingJudgmentsError, value=1, row="object 0001", column="a0"):
        MultiSelectRegressor(30, method="full", predictor="least_squares").fit(pilot, y)


def test_pipelines_searches_and_scores(rng, block, y, pilot, crowd):
    X = rng.normal(size=(80, 6))
    target = X @ rng.normal(size=6) + 0.1 * rng.normal(size=80)
    pipe = make_pipeline(StandardScaler(), MultiSelectRegressor(6)).fit(X, target)
    assert pipe.score(X, target) > 0.9
    search = GridSearchCV(MultiSelectRegressor(1), {"budget": [1, 3, 6]}).fit(X, target)
    assert search.best_params_ == {"budget": 6}
    for judged in (block, pilot):
        assert cross_val_score(MultiSelectRegressor(10), judged, y, cv=3).shape == (3,)
    same = [cross_val_score(MultiSelectRegressor(10), judged, y, cv=3) for judged in (block, pilot)]
    np.testing.assert_allclose(same[0], same[1], rtol=1e-8)


def test_clones_and_representations(pilot, y):
    model = MultiSelectRegressor(9, costs={"a1": 2}, plan_ridge=0.1)
    assert clone(model).get_params() == model.get_params()
    assert str(model) == repr(model) == "MultiSelectRegressor(budget=9, costs={'a1': 2}, plan_ridge=0.1)"
    model.fit(pilot, y)
    assert "·a" in str(model)
    assert repr(model).startswith("MultiSelectRegressor(budget=9")
    assert "MultiSelectRegressor" in model._repr_html_()


def test_json_comes_back(crowd, pilot, y):
    model = MultiSelectRegressor(9, costs={"a1": 2}).fit(pilot, y)
    again = MultiSelectRegressor.from_json(model.to_json())
    new = crowd.more(10).follow(model.plan_)
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert again.intercept_ == model.intercept_
    assert again.plan_ == model.plan_
    assert str(again) == str(model)
    assert again.to_json() == model.to_json()
    with pytest.raises(NotFittedError):
        MultiSelectRegressor(9).to_json()


def test_keys_of_a_document_may_come_in_any_order(block, y):
    model = MultiSelectRegressor(9, attributes=["b", "c", "a", "e", "d"]).fit(block, y)
    again = MultiSelectRegressor.from_json(json.dumps(json.loads(model.to_json()), sort_keys=True))
    assert again.plan_ == model.plan_
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_labels_of_arrays_go_by_position(block, y, rng):
    order = rng.permutation(120)
    labels = pd.Series(y)
    shuffled = MultiSelectRegressor(9).fit(block[order], labels.iloc[order])
    assert shuffled.plan_.repeats == MultiSelectRegressor(9).fit(block, y).plan_.repeats
    assert shuffled.score(block[order], labels.iloc[order]) == pytest.approx(shuffled.score(block[order], y[order]))
    scores = cross_val_score(MultiSelectRegressor(9), block, labels, cv=3, error_score="raise")
    np.testing.assert_allclose(scores, cross_val_score(MultiSelectRegressor(9), block, y, cv=3))


def test_loaded_models_predict_from_columns(block, y):
    flat = block.reshape(120, 10)
    frame = pd.DataFrame(flat, columns=[f"c{i}" for i in range(10)])
    for X in (flat, frame):
        model = MultiSelectRegressor(9, attributes=list("aabbccddee")).fit(X, y)
        again = MultiSelectRegressor.from_json(model.to_json())
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.to_json() == model.to_json()
        assert hasattr(again, "feature_names_in_") == (X is frame)


def test_scores_match_labels_as_fit_does(crowd, pilot, y):
    model = MultiSelectRegressor(9).fit(pilot, y)
    shuffled = crowd.labels.sample(frac=1, random_state=1)
    assert model.score(pilot, shuffled) == model.score(pilot, shuffled.to_dict()) == model.score(pilot, y)


def test_fitted_on_columns_and_predicting_from_other_kinds(block, y, crowd, pilot):
    model = MultiSelectRegressor(9, attributes=[f"a{i}" for i in range(5) for _ in range(2)])
    model.fit(block.reshape(120, 10), y)
    np.testing.assert_allclose(model.predict(block), model.predict(block.reshape(120, 10)))
    np.testing.assert_allclose(model.predict(pilot), model.predict(block))
    more = np.concatenate([block, block, block], axis=2)
    assert model.predict(more, return_std=True)[1].max() < model.predict(block, return_std=True)[1].min()


def test_a_column_constant_up_to_rounding_is_not_bought(rng):
    X = rng.normal(size=(40, 3))
    X[:, 2] = np.where(rng.random(40) < 0.5, 0.1 + 0.2, 0.3)
    y = X[:, 0] + rng.normal(size=40)
    for kind in ("best_linear", "least_squares"):
        assert MultiSelectRegressor(3, predictor=kind).fit(X, y).coef_[2] == 0


@pytest.mark.parametrize("columns", [[], 5, {"attributes": 5}, {"attributes": ["a"], "names": ["x", "y"]}])
def test_columns_of_a_document_are_checked(block, y, columns):
    text = MultiSelectRegressor(9, attributes=list("aabbccddee")).fit(block.reshape(120, 10), y).to_json()
    with pytest.raises(DocumentError):
        MultiSelectRegressor.from_json(json.dumps(json.loads(text) | {"columns": columns}))


def test_lists_of_three_dimensions(block, y):
    model = MultiSelectRegressor(9).fit(block.tolist(), y)
    np.testing.assert_array_equal(model.predict(block.tolist()), model.predict(block))


def test_objects_without_any_judgment_get_the_mean_label(block, y):
    model = MultiSelectRegressor(9).fit(block, y)
    np.testing.assert_allclose(model.predict(np.full((2, 5, 1), np.nan)), y.mean())
    flat = MultiSelectRegressor(9, attributes=list("aabbccddee")).fit(block.reshape(120, 10), y)
    np.testing.assert_allclose(flat.predict(np.full((2, 10), np.nan)), y.mean())


def test_columns_of_the_same_name(block, y):
    frame = pd.DataFrame(block.reshape(120, 10), columns=list("aabbccddee"))
    with refused(JudgmentsError, column="a"):
        MultiSelectRegressor(9).fit(frame, y)
    told = MultiSelectRegressor(9, attributes=list("aabbccddee")).fit(frame, y)
    assert told.predict(frame).shape == (120,)


def test_loaded_models_predict_from_arrays(block, y):
    model = MultiSelectRegressor(9).fit(block, y)
    again = MultiSelectRegressor.from_json(model.to_json())
    np.testing.assert_array_equal(again.predict(block), model.predict(block))


@pytest.mark.parametrize(
    ("options", "error", "value", "column"),
    [
        ({"budget": -1}, PlanError, -1, "budget"),
        ({"budget": 5, "method": "greedy"}, PlanError, "greedy", "method"),
        ({"budget": 5, "predictor": "ols"}, PlanError, "ols", "predictor"),
        ({"budget": 5, "costs": {"zz": 1}}, PlanError, "zz", "costs"),
        ({"budget": 5, "shrinkage": 2}, PlanError, 2, "shrinkage"),
        ({"budget": 5, "attributes": ["a"]}, JudgmentsError, 1, "attributes"),
    ],
)
def test_parameters_are_checked_at_fit(block, y, options, error, value, column):
    model = MultiSelectRegressor(**options)
    with refused(error, value=value, column=column):
        model.fit(block, y)


def test_columns_are_checked_at_fit(block, y):
    flat = block.reshape(120, 10)
    with refused(JudgmentsError, value=["a", "b", "c"], column="attributes"):
        MultiSelectRegressor(5, attributes=["a", "b", "c"]).fit(flat, y)
    with refused(JudgmentsError, value="q", column="attributes"):
        MultiSelectRegressor(5, attributes={"q": "a"}).fit(flat, y)


def test_shapes_are_checked(block, y):
    model = MultiSelectRegressor(5).fit(block, y)
    with refused(JudgmentsError, value=3, column="attributes"):
        model.predict(block[:, :3])
    with refused(MomentsError, column="x0"):
        MultiSelectRegressor(5).fit(block[:, :, :1], y)


def test_fitting_again_forgets(pilot, block, y):
    model = MultiSelectRegressor(5).fit(pilot, y)
    model.fit(block, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.plan_.attributes == ("x0", "x1", "x2", "x3", "x4")


def test_labels_by_object_may_come_in_any_order(crowd, pilot):
    shuffled = crowd.labels.sample(frac=1, random_state=0)
    one, two = (MultiSelectRegressor(9).fit(pilot, labels) for labels in (crowd.labels, shuffled.to_dict()))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    frame = Judgments.from_frame(pilot.to_frame().sample(frac=1, random_state=1))
    np.testing.assert_allclose(MultiSelectRegressor(9).fit(frame, shuffled).coef_, one.coef_)


def test_auto_is_chosen_and_reported():
    crowd = simulate.gaussian(60, 12, random_state=2)
    pilot = crowd.pilot(2)
    model = MultiSelectRegressor(budget=20).fit(pilot, crowd.labels)
    found = answer(pilot, crowd.labels, 20)
    assert model.answer_.to_json() == found.to_json()
    assert (model.error_, model.plan_) == (found.error, found.plan)
    assert model.plan_.method == model.choice_.method
    assert model.plan_.shrinkage == model.choice_.shrinkage
    assert len(model.choice_.considered) > 10
    assert model.predictor_.expected_loss(crowd.truth) > 0
    again = MultiSelectRegressor.from_json(model.to_json())
    assert again.shrinkage == model.choice_.shrinkage
    assert again.plan_ == model.plan_
    assert (again.answer_, again.error_) == (None, None)
    plain = MultiSelectRegressor(budget=20, method="full", shrinkage=0).fit(pilot, crowd.labels)
    assert plain.choice_ is None
    assert plain.error_ > 0
    only = MultiSelectRegressor(budget=20, shrinkage=0).fit(pilot, crowd.labels)
    assert set(only.choice_.considered["shrinkage"]) == {0}
    squares = MultiSelectRegressor(
        budget=2, shrinkage="auto", predictor="least_squares", max_repeats=dict.fromkeys(crowd.attributes, 2)
    )
    squares.fit(pilot, crowd.labels)
    assert set(squares.choice_.considered["predictor_ridge"]) == {0.0}


def test_few_objects_have_a_plan_without_an_error(rng):
    few = simulate.gaussian(8, 3, random_state=0)
    model = MultiSelectRegressor(budget=4, mute=["MJ101"]).fit(few.pilot(2), few.labels)
    assert (model.error_, model.choice_, model.plan_.method, model.plan_.shrinkage) == (None, None, "full", 0.0)
    assert "8 labelled objects are too few" in model.answer_.notes[0]
    assert model.predict(few.pilot(2)).shape == (8,)


def test_what_stops_a_plan_stops_the_estimator(rng):
    crowd = simulate.gaussian(40, 3, random_state=0)
    values = crowd.pilot(2).to_frame()["value"].to_numpy().reshape(40, 3, 2).copy()
    values[:6, 0, 0] = -99
    with refused(JudgmentsError, value=-99.0, column="x0"):
        MultiSelectRegressor(budget=4).fit(values, crowd.labels.to_numpy())
    assert MultiSelectRegressor(budget=4, mute=["MJ501"]).fit(values, crowd.labels.to_numpy()).plan_.repeats


def test_warnings_are_kept():
    crowd = simulate.gaussian(20, 12, random_state=2)
    model = MultiSelectRegressor(budget=5).fit(crowd.pilot(2), crowd.labels)
    assert "few_objects" in [warning.kind for warning in model.warnings_]


def test_auto_of_nonsense(beans):
    crowd, pilot = beans
    with refused(PlanError, value="some", column="shrinkage"):
        MultiSelectRegressor(budget=5, method="auto", shrinkage="some").fit(pilot, crowd.labels)
    with refused(PlanError, value="some", column="shrinkage"):
        MultiSelectRegressor(budget=5, shrinkage="some").fit(pilot, crowd.labels)


def test_caps_are_kept(beans):
    crowd, pilot = beans
    model = MultiSelectRegressor(budget=12, max_repeats={"number of beans": 3}).fit(pilot, crowd.labels)
    assert model.plan_.repeats["number of beans"] == 3
    assert (
        MultiSelectRegressor.from_json(model.to_json()).plan_.max_repeats.tolist() == model.plan_.max_repeats.tolist()
    )


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(0)
    steps, rows = ["never", "rarely", "sometimes", "often"], []
    for essay in range(60):
        clear, grade = rng.integers(0, 4), rng.normal(70, 5)
        for rater in range(3):
            step = int(np.clip(clear + rng.integers(-1, 2), 0, 3))
            rows.append((f"e{essay}", f"r{rater}", steps[step], int(rng.integers(1, 6)), round(grade + 5 * clear)))
    return pd.DataFrame(rows, columns=["Essay", "Rater", "clear", "tone", "Grade"])


@pytest.fixture(scope="module")
def model(survey):
    return MultiSelectRegressor(budget=4, method="full", shrinkage=0).fit(survey, "Grade")


class TestTables:
    """Tables of judgments are read as everywhere else, and their answers stand for the same later on."""

    def test_however_table_and_labels_are_given_the_model_is_the_same(self, survey, model, tmp_path):
        table, by_row = survey.drop(columns="Grade"), survey["Grade"]
        by_object = survey.drop_duplicates("Essay").set_index("Essay")["Grade"]
        survey.to_csv(tmp_path / "survey.csv", index=False)
        by_object.reset_index().to_csv(tmp_path / "grades.csv", index=False)
        ways = [
            *((each, "Grade") for each in (pl.from_pandas(survey), survey.to_dict("list"), tmp_path / "survey.csv")),
            *((table, each) for each in (by_row, by_row.to_numpy(), by_object, dict(by_object))),
            (table, str(tmp_path / "grades.csv")),
            (Judgments.from_frame(table), by_object),
        ]
        for X, y in ways:
            again = MultiSelectRegressor(budget=4, method="full", shrinkage=0).fit(X, y)
            assert again.plan_ == model.plan_
            np.testing.assert_allclose(again.coef_, model.coef_)
            assert again.input_ == "judgments"
            assert list(again.feature_names_in_) == ["clear", "tone"]

    def test_predictions_are_by_object(self, survey, model):
        predicted, std = model.predict(survey.drop(columns="Grade").sample(frac=1, random_state=0), return_std=True)
        assert set(predicted.index) == set(survey["Essay"])
        assert predicted.index.equals(std.index)
        judgments = Judgments.from_frame(survey.drop(columns="Grade"))
        np.testing.assert_array_equal(predicted[judgments.objects], model.predict(judgments))
        assert model.score(survey, "Grade") == pytest.approx(model.score(judgments, model_labels(survey)))

    def test_answers_stand_for_what_they_stood_for_in_fit(self, survey, model):
        few = survey[survey["clear"].isin(["sometimes", "often"])].drop(columns="Grade")
        read = Predictor.from_json(model.to_json()).read(few)
        assert read.reading.codings["clear"].words == ("never", "rarely", "sometimes", "often")
        assert set(read.to_frame().query("attribute == 'clear'")["value"]) == {3.0, 4.0}
        with refused(JudgmentsError, value="always", column="clear", row=1):
            model.predict(few.assign(clear="always"))

    def test_a_long_frame_is_read(self):
        crowd = simulate.jelly_beans(n_objects=60, random_state=0)
        pilot = crowd.pilot(2)
        long = pilot.to_frame()
        model = MultiSelectRegressor(budget=4).fit(long, crowd.labels)
        assert model.plan_ == MultiSelectRegressor(budget=4).fit(pilot, crowd.labels).plan_
        np.testing.assert_array_equal(model.predict(long), model.predict(pilot))
        numbered = long.assign(object=long["object"].factorize()[0], attribute=long["attribute"].factorize()[0])
        assert MultiSelectRegressor(budget=4).fit(numbered.drop(columns="worker"), dict(enumerate(crowd.labels)))

    def test_how_to_read_can_be_said(self, survey):
        odd = survey.rename(columns={"Essay": "x"}).assign(tone=survey["tone"].where(survey["tone"] < 5, -99))
        model = MultiSelectRegressor(budget=4, read_options={"object": "x", "missing": -99})
        model.fit(odd, "Grade")
        assert model.predict(odd).index.name == "object"
        assert clone(model).read_options == model.read_options

    def test_cells_that_are_no_numbers_are_refused_with_a_remedy(self, survey):
        with refused(JudgmentsError, column="X"):
            MultiSelectRegressor(budget=4).fit(survey.to_numpy(), survey["Grade"])


def model_labels(survey):
    return survey.drop_duplicates("Essay").set_index("Essay")["Grade"]


def numbered_survey():
    """A row for each rater and object, all cells numbers, and the labels by object."""
    crowd = simulate.gaussian(60, 3, random_state=0)
    rows = crowd.pilot(3).to_frame()
    wide = rows.pivot(index=["object", "worker"], columns="attribute", values="value").reset_index()
    wide = wide.assign(essay=wide.pop("object").astype("category").cat.codes, rater=wide.pop("worker"))
    wide["rater"] = wide["rater"].astype("category").cat.codes
    labels = pd.Series(np.asarray(crowd.labels), sorted(set(wide["essay"])), name="grade")
    return wide, labels


def test_columns_of_numbers_that_name_objects_and_raters_are_no_features():
    wide, labels = numbered_survey()
    model = MultiSelectRegressor(6, method="full", shrinkage=0.0)
    plan = model.fit(wide, wide["essay"].map(labels)).plan_
    assert set(plan.attributes) == {"a0", "a1", "a2"}
    assert model.predict(wide.rename(columns={"essay": "object", "rater": "coder"})).index.name == "object"
    told = MultiSelectRegressor(6, method="full", shrinkage=0.0, read_options={"object": "e", "worker": "r"})
    renamed = wide.rename(columns={"essay": "e", "rater": "r"})
    assert told.fit(renamed, labels).plan_.repeats == plan.repeats
    levels = wide.set_index(["essay", "rater"])
    assert MultiSelectRegressor(6, method="full", shrinkage=0.0).fit(levels, labels).plan_.repeats == plan.repeats


@pytest.mark.parametrize("library", [lambda frame: frame, pl.from_pandas, lambda frame: frame.to_dict("list")])
def test_labels_may_be_a_table(library, tmp_path):
    wide, labels = numbered_survey()
    table = labels.rename_axis("essay").reset_index()
    table.to_csv(tmp_path / "grades.csv", index=False)
    expected = MultiSelectRegressor(6, method="full", shrinkage=0.0).fit(wide, labels).plan_
    judgments = Judgments.from_frame(wide)
    for X, y in ((wide, library(table)), (judgments, library(table)), (judgments, tmp_path / "grades.csv")):
        model = MultiSelectRegressor(6, method="full", shrinkage=0.0)
        assert model.fit(X, y).plan_.repeats == expected.repeats
        assert model.plan_.explained == pytest.approx(expected.explained)


def test_a_column_of_labels_does_not_make_judgments_of_features():
    features = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["a", "b", "c"])
    labels = pd.DataFrame({"y": features["a"] + features["b"]})
    with pytest.warns(DataConversionWarning):
        assert MultiSelectRegressor(2, shrinkage=0.0).fit(features, labels).input_ == "columns"
