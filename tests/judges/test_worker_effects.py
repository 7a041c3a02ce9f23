"""Effects of workers: what is taken off a judgment comes from what its worker said of other objects."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments
from manyjudges.judges.worker_effects import estimate_worker_effects, judge_several_objects
from manyjudges.tables.judgments import Judgments as Table
from tests.support.plain import plain_worker_effects


def crowd_of(seed, *, n_objects=40, n_workers=8, each=3, bias=1.0, noise=0.5, attributes=("a", "b"), balanced=False):
    """Judgments of workers who each judge everything higher or lower, those of an object drawn at random."""
    rng = np.random.default_rng(seed)
    biases = rng.normal(size=(n_workers, len(attributes))) * bias
    rows = []
    for o in range(n_objects):
        truth = rng.normal(size=len(attributes))
        for i, name in enumerate(attributes):
            workers = range(n_workers) if balanced else rng.choice(n_workers, each, replace=False)
            rows += [
                (f"o{o:02d}", name, f"w{w}", truth[i] + biases[w, i] + noise * rng.normal(), truth[i]) for w in workers
            ]
    return pd.DataFrame(rows, columns=["object", "attribute", "worker", "value", "truth"])


def estimated(frame, kind, **options):
    judgments = Judgments.from_frame(frame[["object", "attribute", "worker", "value"]])
    noise = np.ones(len(judgments.attributes))
    return judgments, *estimate_worker_effects(judgments, kind, noise, 2 * noise, **options)


def by_row(judgments, corrections):
    """Corrections with the names of their judgments; the judgments of a worker keep their order."""
    rows = judgments.rows()
    return pd.DataFrame(
        {
            "object": np.asarray(judgments.objects)[rows.objects],
            "attribute": np.array(judgments.attributes)[rows.attributes],
            "worker": np.asarray(judgments.workers)[rows.workers],
            "value": rows.values,
            "correction": corrections,
        }
    )


@pytest.mark.parametrize("kind", ["random", "fixed"])
@pytest.mark.parametrize("strength", [1.0, 8.0])
def test_sums_over_rows_are_loops_over_judgments(kind, strength):
    frame = crowd_of(0, n_objects=9, n_workers=4, each=2)
    judgments, effects, corrections = estimated(frame, kind, strengths=[strength])
    shrink = dict.fromkeys("ab", 0.0 if kind == "fixed" else 0.5)
    wanted, off = plain_worker_effects(frame, strength, shrink)
    keys = ["object", "attribute", "worker", "value"]
    found = by_row(judgments, corrections).sort_values(keys)["correction"]
    np.testing.assert_allclose(found, off[frame.sort_values(keys).index], atol=1e-12)
    for i, name in enumerate(effects.attributes):
        own = dict(zip(map(str, effects.workers), effects.values[:, i], strict=True))
        assert own == pytest.approx(wanted[name], abs=1e-12)


def test_a_judgment_has_no_part_in_its_own_correction():
    frame = crowd_of(1)
    judgments, _, before = estimated(frame, "fixed", strengths=[3.0])
    changed = frame.copy()
    changed.loc[0, "value"] += 100
    _, _, after = estimated(changed, "fixed", strengths=[3.0])
    rows = by_row(judgments, after - before)
    own = (rows["object"] == frame.loc[0, "object"]) & (rows["attribute"] == "a")
    others = ~own & (rows["worker"] == frame.loc[0, "worker"]) & (rows["attribute"] == "a")
    # What changes for all alike (the mean) is no matter; that of others of the same worker goes with it.
    mine = own & (rows["worker"] == frame.loc[0, "worker"])
    assert rows.loc[others, "correction"].min() > 5 * abs(rows.loc[mine, "correction"].item())


def test_objects_of_a_balanced_design_keep_their_means():
    frame = crowd_of(2, balanced=True)
    judgments, _, corrections = estimated(frame, "fixed")
    rows = by_row(judgments, corrections)
    assert rows["correction"].std() > 0.5
    means = rows.groupby(["attribute", "object"])["correction"].mean()
    assert means.groupby("attribute").std().max() < 1e-9


def test_means_of_a_balanced_design_are_spread_at_most_a_little_by_random_effects():
    """A shrunk mean leaves some of an object to its workers' other objects: means are stretched, all alike."""
    frame = crowd_of(2, balanced=True, attributes=("a",))
    judgments, _, corrections = estimated(frame, "random")
    rows = by_row(judgments, corrections)
    means = rows.assign(left=rows["value"] - rows["correction"]).groupby("object")[["value", "left"]].mean()
    slope, level = np.polyfit(means["value"], means["left"], 1)
    np.testing.assert_allclose(means["left"], level + slope * means["value"], atol=1e-9)
    assert 1 <= slope < 1 + 1 / 39


@pytest.mark.parametrize("kind", ["random", "fixed"])
def test_known_effects_are_found_and_means_come_nearer_to_the_truth(kind):
    frame = crowd_of(3)
    judgments, _, corrections = estimated(frame, kind)
    rows = by_row(judgments, corrections)
    truth = frame.groupby(["attribute", "object"])["truth"].first()

    def error(values):
        away = values.groupby([rows["attribute"], rows["object"]]).mean() - truth
        return float(away.groupby("attribute").var().mean())

    assert error(rows["value"] - rows["correction"]) < 0.5 * error(rows["value"])


def test_noise_is_not_made_smaller_than_it_is():
    """With one's own judgments among them, effects of workers who judge little would fit them."""
    estimates = []
    for seed in range(8):
        frame = crowd_of(seed, bias=0.0, noise=1.0, n_workers=20)
        judgments, _, corrections = estimated(frame, "fixed")
        corrected = judgments.with_values(judgments.rows().values - corrections)
        estimates.append(Moments.estimate(corrected, np.arange(40.0)).noise)
    assert np.mean(estimates) == pytest.approx(1.0, abs=0.06)


def test_workers_who_judge_only_objects_of_their_own_are_given_credit_for_them():
    """Effects of confounded workers take the objects away; that is why held-out objects have the last word."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(8), 5)
    truth = (group - 3.5) / 2.3
    rows = [(f"o{o:02d}", "a", f"w{group[o]}{k}", truth[o] + 2 * rng.normal()) for o in range(40) for k in range(2)]
    judgments = Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))
    _, corrections = estimate_worker_effects(judgments, "random", np.array([4.0]), np.array([1.0]), strengths=[1.0])
    corrected = judgments.with_values(judgments.rows().values - corrections).means().to_numpy()[:, 0]
    assert np.corrcoef(corrected, truth)[0, 1] < np.corrcoef(judgments.means().to_numpy()[:, 0], truth)[0, 1] - 0.2


@pytest.mark.parametrize("kind", ["random", "fixed"])
def test_units_and_order_do_not_matter(kind):
    frame = crowd_of(4)
    keys = ["object", "attribute", "worker", "value"]
    judgments, effects, corrections = estimated(frame, kind)
    rows = by_row(judgments, corrections).sort_values(keys)
    mixed = frame.sample(len(frame), random_state=0).reset_index(drop=True)
    same, _, others = estimated(mixed, kind)
    np.testing.assert_allclose(by_row(same, others).sort_values(keys)["correction"], rows["correction"], atol=1e-12)
    noise = np.ones(2)
    in_cm = Judgments.from_frame(frame.assign(value=2.54 * frame["value"] + 3)[keys])
    converted, off = estimate_worker_effects(in_cm, kind, 2.54**2 * noise, 2 * 2.54**2 * noise)
    np.testing.assert_allclose(off, 2.54 * corrections, atol=1e-9)
    assert converted.strength == effects.strength


def test_strength_is_that_which_leaves_least_within_objects():
    assert estimated(crowd_of(5, bias=3.0, n_workers=4), "fixed")[1].strength == 1
    assert estimated(crowd_of(5, bias=0.0, n_workers=30), "fixed")[1].strength == 60


def test_new_objects_are_corrected_where_workers_are_known():
    frame = crowd_of(6)
    _, effects, _ = estimated(frame, "random")
    new = pd.DataFrame(
        [("x", "b", "w3", 1.0), ("x", "b", "nobody", 1.0), ("y", "other", "w3", 1.0), ("y", "a", "w1", 2.0)],
        columns=["object", "attribute", "worker", "value"],
    )
    judgments = Judgments.from_frame(new)
    found = by_row(judgments, effects.corrections(judgments)).set_index(["object", "attribute", "worker"])["correction"]
    workers = list(map(str, effects.workers))
    assert found["x", "b", "w3"] == effects.values[workers.index("w3"), 1]
    assert found["y", "a", "w1"] == effects.values[workers.index("w1"), 0]
    assert found["x", "b", "nobody"] == found["y", "other", "w3"] == 0
    assert not effects.corrections(Judgments.from_frame(new.drop(columns="worker"))).any()


def test_effects_of_some_attributes():
    _, effects, _ = estimated(crowd_of(6), "fixed")
    only = effects.only(["b"])
    assert only.attributes == ("b",)
    np.testing.assert_array_equal(only.values[:, 0], effects.values[:, 1])


def test_who_judges_several_objects():
    frame = crowd_of(7)[["object", "attribute", "worker", "value"]]
    assert judge_several_objects(Judgments.from_frame(frame))
    assert not judge_several_objects(Judgments.from_frame(frame.drop(columns="worker")))
    alone = frame.drop_duplicates(["object", "attribute"]).assign(worker="one")
    assert not judge_several_objects(Judgments.from_frame(alone))
    own = frame.assign(worker=np.arange(len(frame)))
    assert not judge_several_objects(Judgments.from_frame(own))


def test_without_workers_there_are_no_effects():
    judgments = Table.from_array(np.zeros((4, 1, 2)))
    with pytest.raises(ValueError, match="name them"):
        estimate_worker_effects(judgments, "fixed", np.ones(1), np.ones(1))


@pytest.mark.parametrize("kind", ["random", "fixed"])
def test_judgments_that_are_all_alike_are_left_alone(kind):
    frame = crowd_of(8).assign(value=2.0)
    judgments = Judgments.from_frame(frame[["object", "attribute", "worker", "value"]])
    effects, corrections = estimate_worker_effects(judgments, kind, np.zeros(2), np.zeros(2))
    assert not corrections.any()
    assert not effects.values.any()
