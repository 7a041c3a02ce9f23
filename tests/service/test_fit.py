"""What a study has come to: its predictor, and predictions of the objects without label."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Plan, fit_predictor
from manyjudges.exceptions import PlanError
from manyjudges.service.fit import fit_study
from manyjudges.service.study import labels_of, open_study
from manyjudges.service.study_planner import order_first_round, plan_study
from tests.support.collecting import beans_folder, run
from tests.support.messages import refused


def test_fitting_before_the_pilot_is_complete_says_so(study):
    opened, _ = study
    order_first_round(opened)
    with refused(PlanError):
        fit_study(opened)


def test_the_predictor_is_that_of_the_latest_plan_and_of_judgments_of_labelled_objects(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", unlabelled=10, plan="budget = 6.0\nmethod = 'full'")
    with open_study(folder) as opened:
        run(opened, crowd)
        fitted = fit_study(opened)
        latest = opened.store.rounds()[-1]
        plan, judgments, labels = (
            Plan.from_document(latest["plan"]),
            Judgments.from_frame(opened.store.judgments()),
            labels_of(opened.store),
        )
    judgments = judgments.only(plan.repeats)
    answer = latest["outlook"]["answer"]
    assert plan.predictor_ridge == answer["predictor_ridge"]
    own = fit_predictor(plan, judgments, labels, unmatched="drop")
    assert fitted.model.plan == plan
    np.testing.assert_allclose(fitted.model.coefficients, own.coefficients)
    assert fitted.answer == answer
    assert answer["sentence"].endswith(fitted.expectation)
    predicted = fitted.predictions.set_index("object")
    new = Judgments.from_frame(judgments.to_frame()[lambda rows: rows["object"].isin(predicted.index)])
    means, deviations = own.predict(new, return_std=True)
    assert predicted.index.tolist() == list(new.objects)
    np.testing.assert_allclose(predicted["prediction"], means)
    np.testing.assert_allclose(predicted["std"], deviations)


@pytest.mark.slow
def test_only_objects_that_are_in_the_table_and_were_judged_are_predicted(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", unlabelled=3)
    with open_study(folder) as opened:
        run(opened, crowd)
        assert fit_study(opened).predictions["object"].tolist() == list(crowd.objects[-3:])
    table = pd.read_csv(folder / "objects.csv")
    more = pd.DataFrame({"id": ["nobody saw it"], "label": [np.nan], "text": ["A jar, unseen"]})
    pd.concat([table.drop(index=len(table) - 1), more]).to_csv(folder / "objects.csv", index=False)
    with open_study(folder, update=True) as opened:
        assert fit_study(opened).predictions["object"].tolist() == list(crowd.objects[-3:-1])


def test_where_every_object_has_a_label_nothing_is_predicted(study):
    opened, crowd = study
    run(opened, crowd)
    predictions = fit_study(opened).predictions
    assert (list(predictions.columns), len(predictions)) == (["object", "prediction", "std"], 0)


def test_a_plan_that_buys_nothing_cannot_be_fitted(tmp_path):
    """When everybody says the same of everything, nothing is worth its price."""
    folder, _ = beans_folder(tmp_path / "jars", n_objects=30)
    with open_study(folder) as opened:
        order_first_round(opened)
        for person in [opened.store.enter("open", name) for name in ("ann", "bob")]:
            while (batch := opened.store.lease(person.id, size=30)) is not None:
                opened.store.submit(batch.id, person.id, dict.fromkeys(range(len(batch.items)), 1.0))
        assert plan_study(opened).round.plan.repeats == {}
        with refused(PlanError):
            fit_study(opened)
