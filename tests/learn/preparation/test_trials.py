"""What is tried with judgments and moments, and kept only where held-out objects say so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, answer, simulate
from manyjudges.exceptions import PlanError
from manyjudges.learn.preparation.trials import NOTHING, PreparationOptions, prepare
from manyjudges.learn.training_data import match_training_data
from tests.support.messages import refused


def of_workers(seed, *, confounded=False, bias=1.5, skewed=False, binary=False, n=60):
    """Workers who judge higher or lower; where they are confounded, each has objects that are alike, and no bias."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(6), n // 6)
    truth = (group - 2.5) / 1.7 + 0.1 * rng.normal(size=n) if confounded else rng.normal(size=n)
    biases = bias * rng.normal(size=12)
    rows = []
    for o in range(n):
        workers = (2 * group[o], 2 * group[o] + 1) if confounded else rng.choice(12, 3, replace=False)
        for w in workers:
            value = truth[o] + (0 if confounded else biases[w]) + (2 if confounded else 0.8) * rng.normal()
            value = float(value > 0) if binary else np.exp(1.5 * value) if skewed else value
            rows.append((f"o{o:02d}", "a", f"w{w:02d}", value))
    judgments = Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))
    return match_training_data(judgments, truth + 0.2 * rng.normal(size=n))


def kept(data, **options):
    prepared = prepare(data, PreparationOptions(**{"predictor": "best_linear"} | options)).preparation
    return {trial.step: trial.tried for trial in prepared.trials if trial.kept}


def test_effects_of_workers_are_taken_off_where_that_helps():
    assert kept(of_workers(0))["worker_effects"] in ("random", "fixed")


@pytest.mark.parametrize("seed", [0, 3])
def test_effects_that_would_take_the_objects_away_are_left_in(seed):
    """Of workers who judge objects that are alike: shrunk means leave these to workers, others change nothing."""
    options = PreparationOptions(predictor="best_linear")
    trials = prepare(of_workers(seed, confounded=True), options).preparation.trials
    losses = {trial.tried: trial.loss for trial in trials if trial.step == "worker_effects"}
    [taken] = [trial.tried for trial in trials if trial.step == "worker_effects" and trial.kept]
    assert losses["random"] > 1.1 * losses["plain"]
    assert taken != "random"
    assert losses[taken] <= losses["plain"] * 1.001


def test_workers_who_do_not_judge_higher_or_lower_are_left_alone():
    trials = prepare(of_workers(0, bias=0.0), PreparationOptions(predictor="best_linear")).preparation.trials
    [only] = [trial for trial in trials if trial.step == "worker_effects"]
    assert (only.tried, only.loss) == ("plain", None)


def test_skewed_ratings_are_rescaled_where_that_helps():
    assert kept(of_workers(0, bias=0.0, skewed=True))["rescale"] == "auto"
    assert kept(of_workers(0, bias=0.0))["rescale"] == "plain"


def test_binary_answers_are_never_rescaled():
    for rescale in ("auto", "root", "log"):
        prepared = prepare(of_workers(0, binary=True), PreparationOptions(rescale=rescale, predictor="best_linear"))
        assert not prepared.preparation.rescalings


def test_what_is_asked_for_is_done_and_what_is_switched_off_is_not():
    data = of_workers(0)
    asked = {"rescale": "root", "worker_effects": "fixed", "joint_moments": True, "predictor": "best_linear"}
    prepared = prepare(data, PreparationOptions(**asked)).preparation
    assert (prepared.rescalings["a"].kind, prepared.worker_effects, prepared.joint_moments) == ("root", "fixed", True)
    assert {trial.note for trial in prepared.trials} == {"as asked for"}
    plain = prepare(data, NOTHING)
    assert plain.preparation.is_plain
    np.testing.assert_array_equal(plain.moments.covariance, data.moments.covariance)


def test_with_a_method_by_its_name_only_what_is_asked_for_is_done():
    options = PreparationOptions(worker_effects="random")
    assert options.along_with("auto") == options
    assert options.along_with("full") == PreparationOptions("none", "random", False, "best_linear")
    assert PreparationOptions().along_with("full") == NOTHING


def test_what_was_decided_is_not_decided_again():
    prepared = prepare(of_workers(0), PreparationOptions(predictor="best_linear"))
    assert prepare(prepared, PreparationOptions(predictor="best_linear")) is prepared


def test_units_and_the_order_of_rows_do_not_matter():
    data = of_workers(1)
    wanted = kept(data)
    frame = data.in_memory.to_frame()
    mixed = Judgments.from_frame(frame.sample(len(frame), random_state=0)).subset(data.in_memory.objects)
    assert kept(match_training_data(mixed, data.known_labels)) == wanted
    in_cm = Judgments.from_frame(frame.assign(value=2.54 * frame["value"] + 30)).subset(data.in_memory.objects)
    assert kept(match_training_data(in_cm, data.known_labels * 100)) == wanted


@pytest.mark.parametrize("n", [5, 9, 10, 12])
def test_few_objects_do_not_stop_it(n):
    crowd = simulate.gaussian(n, 3, random_state=0)
    prepared = prepare(match_training_data(crowd.pilot(2), crowd.labels), PreparationOptions())
    assert len(prepared.preparation.trials) >= 4


@pytest.mark.parametrize("kind", ["one worker", "constant", "constant but for one", "all alike"])
def test_odd_judgments_do_not_stop_it(kind):
    frame = of_workers(0).in_memory.to_frame()
    labels = np.random.default_rng(1).normal(size=60)
    if kind == "one worker":
        more = frame.drop_duplicates("object").assign(worker="w")
        frame = pd.concat([more, more.assign(worker="v", value=more["value"] + 0.1)])
    elif kind == "all alike":
        frame = frame.assign(value=1.0)
    else:
        other = frame.assign(attribute="b", value=1.0)
        if kind == "constant but for one":
            other.loc[other.index[0], "value"] = 2.0
        frame = pd.concat([frame, other])
    data = match_training_data(Judgments.from_frame(frame), labels)
    prepared = prepare(data, PreparationOptions())
    assert np.isfinite(prepared.moments.covariance).all()
    assert answer(data.in_memory, labels, 2, cv_repeats=1).plan is not None


@pytest.mark.parametrize(
    "option",
    [{"rescale": "cube"}, {"worker_effects": "ramdom"}, {"joint_moments": "yes"}, {"predictor": "curve"}],
    ids=lambda option: next(iter(option)),
)
def test_what_cannot_be_done_is_refused(option):
    [(name, value)] = option.items()
    with refused(PlanError, value=value, column=name):
        PreparationOptions(**option)
