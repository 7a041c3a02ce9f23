from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from manyjudges import Judgments, simulate
from manyjudges.exceptions import JudgmentsError
from manyjudges.judges.dependence import HALO_MATTERS, check_independence
from tests.support.dependent import crowd
from tests.support.messages import refused


def checked(frame):
    return check_independence(Judgments.from_frame(frame))


def gappy(rng, frame, kept=0.6):
    return frame[rng.random(len(frame)) < kept]


def plain_residuals(frame):
    """Standardized residual and count of each judgment whose pair has two or more."""
    pairs = {key: group.to_dict() for key, group in frame.set_index("worker").groupby(["object", "attribute"])["value"]}
    noise = {}
    for a in sorted(frame["attribute"].unique()):
        variances = [np.var(list(x.values()), ddof=1) for (_, b), x in pairs.items() if b == a and len(x) > 1]
        noise[a] = np.mean(variances) if variances else 0.0
    residuals = {
        (o, a): {w: (value - np.mean(list(x.values()))) / np.sqrt(noise[a]) for w, value in x.items()}
        for (o, a), x in pairs.items()
        if len(x) > 1 and noise[a] > 0
    }
    return residuals, noise


def plain_correlation(residuals, a, b):
    """Noise correlation of two attributes, its clustered error and the number of products, a sitting at a time."""
    products, expected = [], 0.0
    for o in sorted({o for o, _ in residuals}):
        if (o, a) in residuals and (o, b) in residuals:
            left, right = residuals[o, a], residuals[o, b]
            common = sorted(set(left) & set(right))
            k, n, m = len(left), len(right), len(common)
            expected += m * (1 - 1 / k - 1 / n + m / (k * n))
            products += [(o, w, left[w] * right[w]) for w in common]
    if expected < 1e-9:
        return None
    table = pd.DataFrame(products, columns=["object", "worker", "product"])
    away = table["product"] - table["product"].mean()

    def clustered(keys):
        groups = away.groupby([table[key] for key in keys])
        freedom = 1 - (groups.size() ** 2).sum() / len(table) ** 2
        return (groups.sum() ** 2).sum() / freedom if freedom > 1e-9 else np.inf

    more = clustered(["worker"]) - clustered(["object", "worker"])
    variance = clustered(["object"]) + (max(more, 0) if np.isfinite(more) else 0)
    if not np.isfinite(variance):
        return None
    return table["product"].sum() / expected, np.sqrt(variance) / expected, len(table), expected


def plain_bias(residuals, a):
    """Share of the noise that is worker bias, a pair of objects at a time."""
    judged = {o: x for (o, b), x in residuals.items() if b == a}
    total = expected = met = 0.0
    for o, x in judged.items():
        for p, z in judged.items():
            if o != p:
                common = set(x) & set(z)
                m, k, n = len(common), len(x), len(z)
                total += sum(x[w] * z[w] for w in common)
                expected += m * (1 - 1 / k - 1 / n + m / (k * n))
                met += m / (k * n)
    if expected < 1e-9:
        return None
    share, n = total / expected, len(judged)
    alone = np.mean([1 / len(x) for x in judged.values()])
    return share, max(share, 0) * met / (n * (n - 1)) / alone


def unbalanced(seed):
    rng = np.random.default_rng(seed)
    frame = crowd(rng, n_objects=12, d=4, n_workers=int(rng.integers(3, 9)), k=3, halo=0.3, bias=0.2)
    return gappy(rng, frame, rng.uniform(0.4, 1.0))


@pytest.mark.slow
@given(st.integers(0, 10_000))
def test_correlations_equal_the_plain_twin(seed):
    frame = unbalanced(seed)
    found, (residuals, noise) = checked(frame), plain_residuals(frame)
    plain = {}
    for a in noise:
        for b in noise:
            if a < b and (one := plain_correlation(residuals, a, b)) is not None:
                plain[a, b] = one
    pairs = found.pairs.set_index(["attribute", "other"])
    assert set(pairs.index) == set(plain)
    for key, (correlation, error, count, _) in plain.items():
        assert pairs.loc[key, "correlation"] == pytest.approx(correlation, abs=1e-9)
        assert pairs.loc[key, "std_error"] == pytest.approx(error, abs=1e-7)
        assert pairs.loc[key, "judgments"] == count
    if plain:
        squares = np.array([(r * r - e * e, f) for r, e, _, f in plain.values()])
        assert found.halo == pytest.approx(np.sqrt(max(np.average(squares[:, 0], weights=squares[:, 1]), 0)), abs=1e-6)
    else:
        assert np.isnan(found.halo)


@given(st.integers(0, 10_000))
def test_biases_equal_the_plain_twin(seed):
    frame = unbalanced(seed)
    found, (residuals, noise) = checked(frame), plain_residuals(frame)
    for a in noise:
        plain, row = plain_bias(residuals, a), found.attributes.loc[a]
        assert row["noise"] == pytest.approx(noise[a])
        if plain is None:
            assert np.isnan(row["bias_share"])
        else:
            assert (row["bias_share"], row["shared_noise"]) == pytest.approx(plain, abs=1e-8)
    for row in found.biases.itertuples():
        own = [x for (_, a), x in residuals.items() if a == row.attribute and row.worker in x]
        free = sum(1 - 1 / len(x) for x in own)
        assert row.bias == pytest.approx(sum(x[row.worker] for x in own) / free, abs=1e-9)
        assert row.judgments == len(own)


def test_an_independent_crowd_is_fine(rng):
    for _ in range(5):
        found = checked(crowd(rng))
        assert found.halo < 0.08
        assert abs(found.bias_share) < 0.05
        assert not found.broken
        assert found.message == ""


@pytest.mark.parametrize("halo", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("bias", [0.0, 0.4])
def test_what_was_planted_comes_back(rng, halo, bias):
    found = checked(crowd(rng, n_objects=600, n_workers=120, halo=halo, bias=bias))
    assert found.halo == pytest.approx(halo * (1 - bias), abs=0.05)
    assert found.bias_share == pytest.approx(bias, abs=0.06)
    assert found.broken == (halo * (1 - bias) > HALO_MATTERS)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_gaps_do_not_bias_what_comes_back(rng, k):
    found = checked(gappy(rng, crowd(rng, n_objects=800, k=k, n_workers=60, halo=0.5, bias=0.2), 0.7))
    assert found.halo == pytest.approx(0.4, abs=0.06)
    assert found.bias_share == pytest.approx(0.2, abs=0.06)


def test_opposite_signs_do_not_cancel(rng):
    found = checked(crowd(rng, d=4, n_objects=400, halo=0.5, signs=[1, -1, 1, -1]))
    assert (found.pairs["correlation"] < -0.3).sum() == 4
    assert found.halo == pytest.approx(0.5, abs=0.06)
    assert found.broken


def test_errors_are_about_right(rng):
    found = [checked(crowd(rng, n_objects=60, d=3, halo=0.2)) for _ in range(80)]
    assert np.mean([one.halo_error for one in found]) == pytest.approx(np.std([one.halo for one in found]), rel=0.35)
    spread = np.std([one.pairs.sort_values(["attribute", "other"])["correlation"].iloc[0] for one in found])
    assert np.mean([one.pairs["std_error"].mean() for one in found]) == pytest.approx(spread, rel=0.35)


def test_a_halo_of_half_makes_five_answers_worth_less_than_two(rng):
    found = checked(crowd(rng, n_objects=500, halo=0.5))
    assert found.answers == 5
    assert found.opinions == pytest.approx(5 / 3, abs=0.15)
    assert "different people for different attributes" in found.message
    assert "5 answers by one person" in repr(found)
    assert found.to_frame() is found.pairs
    assert "<table" in found._repr_html_()


def test_few_workers_who_judge_everything_share_their_biases(rng):
    found = checked(crowd(rng, n_workers=4, k=4, bias=0.6, n_objects=80))
    assert found.shared_noise == pytest.approx(found.bias_share)
    assert found.bias_broken
    assert "always higher or lower" in found.message
    many = checked(crowd(rng, n_workers=80, k=4, bias=0.6, n_objects=200))
    assert many.shared_noise < 0.1
    assert not many.bias_broken


def test_a_worker_who_is_always_higher_comes_first(rng):
    frame = crowd(rng, n_workers=20)
    frame.loc[frame["worker"] == 7, "value"] += 1.0
    workers = checked(frame).workers
    assert workers["worker"][0] == 7
    assert workers["bias"][0] == pytest.approx(1, abs=0.25)
    assert workers["z"][0] > 5


def test_different_workers_for_each_attribute_cannot_be_checked_for_halo(rng):
    frame = crowd(rng)
    frame["worker"] = frame["attribute"] + frame["worker"].astype(str)
    found = checked(frame)
    assert np.isnan(found.halo)
    assert not found.broken
    assert "cannot be checked: no worker judged two attributes" in found.message
    assert "cannot be checked" in repr(found)
    assert found.bias_share == pytest.approx(0, abs=0.06)


def test_unnamed_workers_cannot_be_checked(rng):
    found = checked(crowd(rng).drop(columns="worker"))
    assert np.isnan(found.halo)
    assert np.isnan(found.bias_share)
    assert not found.broken
    assert len(found.pairs) == len(found.workers) == len(found.biases) == 0
    assert "cannot be checked: no worker is named" in found.message
    assert "cannot be checked" in repr(check_independence(Judgments.from_array(rng.normal(size=(4, 2, 3)))))


def test_one_worker_alone_cannot_be_checked(rng):
    found = checked(crowd(rng, n_workers=1, k=1))
    assert np.isnan(found.halo)
    assert not found.broken


def test_one_worker_in_common(rng):
    frame = crowd(rng, n_objects=100, d=3)
    common = frame["worker"] == frame.groupby("object")["worker"].transform("min")
    frame["worker"] = np.where(common, "all", frame["attribute"] + frame["worker"].astype(str))
    found = checked(frame)
    assert (found.pairs["judgments"] == 100).all()
    assert not found.halo_broken
    frame.loc[common, "value"] += rng.normal(size=100)[frame.loc[common, "object"]]
    assert checked(frame).halo_broken


def test_attributes_on_which_all_agree_are_left_out(rng):
    frame = crowd(rng, d=3, halo=0.6)
    frame.loc[frame["attribute"] == "a1", "value"] = 0.1
    found = checked(frame)
    assert len(found.pairs) == 1
    assert np.isnan(found.attributes.loc["a1", "bias_share"])
    assert np.isfinite(found.bias_share)


def test_the_order_of_rows_does_not_matter(rng):
    frame = gappy(rng, crowd(rng, halo=0.3))
    one, other = checked(frame), checked(frame.sample(frac=1, random_state=0))
    for name in ("pairs", "attributes", "workers", "biases"):
        assert_frame_equal(getattr(one, name), getattr(other, name))


def test_units_do_not_matter(rng):
    frame = crowd(rng, halo=0.3, bias=0.2)
    other = frame.copy()
    other.loc[other["attribute"] == "a2", "value"] = 1e6 - 2.54 * other["value"]
    one, two = checked(frame), checked(other)
    assert one.halo == pytest.approx(two.halo, rel=1e-6)
    assert one.bias_share == pytest.approx(two.bias_share, rel=1e-6)


def test_a_simulated_pilot_is_fine():
    found = check_independence(simulate.height_weight(200, random_state=0).pilot(3))
    assert not found.broken


def test_it_asks_for_judgments():
    with refused(JudgmentsError, column="judgments"):
        check_independence(pd.DataFrame())
