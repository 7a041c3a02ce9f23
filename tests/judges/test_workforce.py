"""Numbers about workers: a plain twin, laws, and simulated crowds in which somebody does not look."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.judges import agreement
from manyjudges.judges import workforce as module
from manyjudges.judges.workforce import suggested_bonuses, summarize_workers
from tests.support.messages import refused

NUMBERS = ["judgments", "cant_tell", "batches", "seconds", "agreement", "comparisons", "relative", "relative_error"]
NUMBERS += ["agreement_error", "typical", "suspicious", "first", "last", "earned"]


def ledger_of(rows):
    names = ["at", "worker", "external", "batch", "object", "attribute", "kind", "value", "cost", "seconds"]
    frame = pd.DataFrame(rows, columns=names)
    frame.insert(0, "id", range(1, len(frame) + 1))
    frame["replaces"] = None
    return frame


def crowd(seed, *, objects=120, judges=4, workers=16, batch=40, how=None, binary=(True, False, True), noise=0.7):
    """A ledger of workers who judge batches of objects; ``how`` maps workers to other ways of answering."""
    rng = np.random.default_rng(seed)
    how = how or {}
    rows, at = [], 1e9
    for a, yes_or_no in enumerate(binary):
        truth = rng.normal(size=objects)
        shown = [(o, w) for o in range(objects) for w in rng.choice(workers, judges, replace=False)]
        for w in range(workers):
            mine = [o for o, who in shown if who == w]
            for start in range(0, len(mine), batch):
                batch_name, pace = f"b{a}-{w}-{start}", float(rng.uniform(1.0, 3.0))
                for o in mine[start : start + batch]:
                    value = truth[o] + noise * rng.normal()
                    value = float(value > 0.4) if yes_or_no else 60 + 10 * value
                    value, seconds = how.get(w, lambda _, value, seconds: (value, seconds))(rng, value, pace)
                    kind = "cant_tell" if math.isnan(value) else "answer"
                    at += 1.0
                    rows.append((at, f"w{w:02d}", f"ext{w}", batch_name, f"o{o}", f"a{a}", kind, value, 1.0, seconds))
    return ledger_of(rows)


def at_random(rng, value, seconds):
    return (float(rng.random() < 0.5) if value in (0.0, 1.0) else 60 + 10 * rng.normal()), seconds


def always_no(rng, value, seconds):
    return (0.0 if value in (0.0, 1.0) else 60.0), seconds


def rushed(rng, value, seconds):
    return value, 0.1


# ---------------------------------------------------------------------------------------------------------------- twin


def plain_standing(ledger):
    last = {}
    for row in ledger.sort_values("id").to_dict("records"):
        last[row["worker"], row["object"], row["attribute"]] = row
    return [row for row in last.values() if row["kind"] != "withdrawal"]


def plain_comparisons(counting):
    by_attribute, by_pair = defaultdict(list), defaultdict(list)
    for row in counting:
        by_attribute[row["attribute"]].append(row["value"])
        by_pair[row["object"], row["attribute"]].append(row)
    scale = {a: (np.mean(values), np.std(values)) for a, values in by_attribute.items()}
    found = []
    for row in counting:
        mean, deviation = scale[row["attribute"]]
        others = [x["value"] for x in by_pair[row["object"], row["attribute"]] if x["worker"] != row["worker"]]
        if others and deviation > 1e-12 * abs(mean):
            found.append((row, (row["value"] - mean) / deviation, (np.mean(others) - mean) / deviation))
    return found


def plain_typical(compared):
    found = {}
    for a in {row["attribute"] for row, _, _ in compared}:
        x = np.array([own for row, own, _ in compared if row["attribute"] == a])
        y = np.array([others for row, _, others in compared if row["attribute"] == a])
        x, y = x - x.mean(), y - y.mean()
        if y @ y < 1e-14 * len(y):
            found[a] = (0.0, agreement.LEAST_NOISE)
            continue
        slope = (x @ y) / (y @ y)
        noise = np.sum(y**2 * (x - slope * y) ** 2) / (y @ y)
        found[a] = (max(slope, 0.0), max(noise, agreement.LEAST_NOISE))
    return found


def plain_relative(compared, typical):
    score = known = 0.0
    for a in {row["attribute"] for row, _, _ in compared}:
        x = np.array([own for row, own, _ in compared if row["attribute"] == a])
        y = np.array([others for row, _, others in compared if row["attribute"] == a])
        slope, noise = typical[a]
        score += slope / noise * np.sum((x - x.mean()) * (y - y.mean()))
        known += slope**2 / noise * np.sum((y - y.mean()) ** 2)
    return (score / known, 1 / np.sqrt(known)) if known > 1e-13 else (np.nan, np.nan)


def plain_correlation(compared):
    """Correlation within attributes, and its standard error."""
    x, y = [], []
    for a in {row["attribute"] for row, _, _ in compared}:
        mine = [own for row, own, _ in compared if row["attribute"] == a]
        theirs = [others for row, _, others in compared if row["attribute"] == a]
        x, y = [*x, *(mine - np.mean(mine))], [*y, *(theirs - np.mean(theirs))]
    x, y = np.array(x), np.array(y)
    if x @ x < 1e-14 or y @ y < 1e-14:
        return np.nan, np.nan
    r = (x @ y) / np.sqrt((x @ x) * (y @ y))
    pulls = [
        p * q / np.sqrt((x @ x) * (y @ y)) - r / 2 * (p * p / (x @ x) + q * q / (y @ y))
        for p, q in zip(x, y, strict=True)
    ]
    return r, math.sqrt(sum(pull**2 for pull in pulls))


def plain_suspicious(batch, compared, typical, fast_below, hopeless):
    """Whether the standing values of one batch look as if nobody had looked."""
    mine = [each for each in compared if each[0]["batch"] == batch[0]["batch"]]
    relative, error = plain_relative(mine, typical)
    enough = len(batch) >= module.ENOUGH
    times = [row["seconds"] for row in batch if not math.isnan(row["seconds"])]
    fast = enough and times and np.median(times) < fast_below.get(batch[0]["attribute"], -1)
    spread = np.std([others for _, _, others in mine]) if mine else 0.0
    same = (
        enough
        and len({row["value"] for row in batch}) == 1
        and spread >= module.VARIES
        and error <= module.ONE_ANSWER_ERROR
    )
    weak = enough and relative <= min(2 * error, module.CHANCE) and 1 - relative >= module.FARTHER * error
    return bool(fast or same or weak or hopeless)


def plain_workforce(ledger):
    standing = plain_standing(ledger)
    counting = [row for row in standing if not math.isnan(row["value"])]
    compared = plain_comparisons(counting)
    typical, overall = plain_typical(compared), plain_correlation(compared)[0]
    usual = {a: plain_correlation([each for each in compared if each[0]["attribute"] == a])[0] for a in typical}
    fast_below = {}
    for a in {row["attribute"] for row in counting}:
        timed = [row for row in counting if row["attribute"] == a and not math.isnan(row["seconds"])]
        if len({row["worker"] for row in timed}) >= module.CROWD:
            fast_below[a] = module.TOO_FAST * np.median([row["seconds"] for row in timed])
    found = {}
    for name in sorted(set(ledger["worker"])):
        every = ledger[ledger["worker"] == name]
        mine = [row for row in standing if row["worker"] == name]
        values = [row for row in counting if row["worker"] == name]
        own = [each for each in compared if each[0]["worker"] == name]
        relative, error = plain_relative(own, typical)
        hopeless = relative <= min(2 * error, module.CHANCE) and 1 - relative >= module.FAR * error
        batches = {row["batch"] for row in mine}
        wrong = [b for b in batches if (in_it := [row for row in values if row["batch"] == b])
                 and plain_suspicious(in_it, compared, typical, fast_below, hopeless)]  # fmt: skip
        agrees, agrees_error = plain_correlation(own)
        n, times = len(own), [row["seconds"] for row in values if not math.isnan(row["seconds"])]
        found[name] = {
            "judgments": len(values),
            "cant_tell": (len(mine) - len(values)) / max(len(mine), 1),
            "batches": len(batches),
            "seconds": np.median(times) if times else np.nan,
            "agreement": (n * agrees + agreement.SHRINK * overall) / (n + agreement.SHRINK),
            "agreement_error": agrees_error * n / (n + agreement.SHRINK),
            "typical": np.mean([np.nan_to_num(usual[row["attribute"]]) for row, _, _ in own]) if own else np.nan,
            "comparisons": n,
            "relative": relative,
            "relative_error": error,
            "suspicious": len(wrong) / max(len(batches), 1),
            "first": every["at"].min(),
            "last": every["at"].max(),
            "earned": every["cost"].sum(),
        }
    return pd.DataFrame.from_dict(found, orient="index")


def equal(found, plain):
    assert list(found.index) == list(plain.index)
    for name in NUMBERS:
        np.testing.assert_allclose(
            found[name].to_numpy(dtype=float), plain[name].to_numpy(dtype=float), rtol=1e-7, atol=1e-9, err_msg=name
        )


@pytest.mark.parametrize("seed", range(3))
def test_it_equals_the_plain_twin_in_a_crowd_with_all_kinds_of_people(seed):
    ledger = crowd(seed, how={1: at_random, 2: always_no, 3: rushed}, workers=8, objects=60)
    found = summarize_workers(ledger).to_frame()
    equal(found, plain_workforce(ledger))
    assert (found.loc[["w01", "w02", "w03"], "suspicious"] > 0).any()


@st.composite
def ledgers(draw):
    """Short ledgers with everything that can happen in them."""
    rows = []
    for _ in range(draw(st.integers(1, 40))):
        kind = draw(st.sampled_from(["answer", "answer", "answer", "cant_tell", "correction", "withdrawal"]))
        w, a = draw(st.integers(0, 3)), draw(st.integers(0, 1))
        value = math.nan if kind in ("cant_tell", "withdrawal") else draw(st.sampled_from([0.0, 1.0, 2.0]))
        seconds = draw(st.sampled_from([math.nan, 0.1, 2.0, 3.0]))
        batch = f"b{w}{a}{draw(st.integers(0, 1))}"
        thing = f"o{draw(st.integers(0, 5))}"
        cost = 0.0 if kind in ("correction", "withdrawal") else 1.0
        rows.append((1e9 + len(rows), f"w{w}", None, batch, thing, f"a{a}", kind, value, cost, seconds))
    return ledger_of(rows)


@given(ledgers())
def test_it_equals_the_plain_twin_whatever_happens(ledger):
    equal(summarize_workers(ledger).to_frame(), plain_workforce(ledger))


@given(ledgers(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(ledger, random):
    order = list(range(len(ledger)))
    random.shuffle(order)
    pd.testing.assert_frame_equal(
        summarize_workers(ledger.iloc[order]).to_frame(), summarize_workers(ledger).to_frame()
    )


@pytest.mark.parametrize(("factor", "shift"), [(2.54, 0.0), (-1.0, 0.0), (0.01, 1e4), (1e6, -3.0)])
def test_the_units_of_an_attribute_do_not_matter(factor, shift):
    ledger = crowd(5, how={0: at_random})
    other = ledger.copy()
    other.loc[other["attribute"] == "a1", "value"] = other["value"] * factor + shift
    one, two = summarize_workers(ledger).to_frame(), summarize_workers(other).to_frame()
    np.testing.assert_allclose(two["agreement"], one["agreement"], atol=1e-8)
    np.testing.assert_allclose(two["relative"], one["relative"], atol=1e-7)
    assert two["reasons"].tolist() == one["reasons"].tolist()


# -------------------------------------------------------------------------------------------------------------- crowds


@pytest.mark.parametrize("judges", [2, 5])
def test_who_answers_at_random_is_found_and_good_workers_hardly_ever(judges):
    spammers, found, blamed, good = (3, 11), 0, 0, 0
    for seed in range(20):
        ledger = crowd(
            100 + seed,
            objects=400 if judges == 2 else 200,
            judges=judges,
            workers=20,
            how=dict.fromkeys(spammers, at_random),
        )
        share = summarize_workers(ledger).to_frame()["suspicious"]
        bad = share.index.isin([f"w{w:02d}" for w in spammers])
        found += int((share[bad] > 0.5).sum())
        blamed, good = blamed + int((share[~bad] > 0).sum()), good + int((~bad).sum())
    assert found >= 34  # of 40
    assert blamed <= 0.01 * good


def test_one_answer_to_everything_is_found_and_a_rare_yes_is_not():
    ledger = crowd(1, objects=200, judges=5, how={4: always_no})
    found = summarize_workers(ledger).to_frame()
    assert found.loc["w04", "suspicious"] > 0.6
    assert "same answer to everything" in found.loc["w04", "reasons"]
    assert (found.drop("w04")["suspicious"] > 0).sum() <= 1
    rare = crowd(2, objects=200, judges=3, binary=(True,), noise=0.3)
    rare["value"] = (np.random.default_rng(0).random(len(rare)) < 0.02).astype(float)
    assert (summarize_workers(rare).to_frame()["suspicious"] == 0).all()


def test_who_rushes_is_found():
    found = summarize_workers(crowd(3, how={7: rushed})).to_frame()
    assert found.loc["w07", "suspicious"] == 1.0
    batches = found.loc["w07", "batches"]
    assert found.loc["w07", "reasons"] == f"{batches} of {batches} batches answered much too fast"
    assert (found.drop("w07")["suspicious"] == 0).all()


def test_a_worker_who_is_always_higher_agrees_as_well():
    ledger = crowd(4, binary=(False,), objects=200)
    higher = ledger.copy()
    higher.loc[higher["worker"] == "w02", "value"] += 8.0
    one, two = summarize_workers(ledger).to_frame().loc["w02"], summarize_workers(higher).to_frame().loc["w02"]
    assert two["agreement"] == pytest.approx(one["agreement"], abs=0.05)
    assert two["suspicious"] == 0


def test_few_comparisons_are_pulled_toward_the_crowd_and_none_are_nan():
    ledger = crowd(6, how={})
    alone = ledger[ledger["worker"] == "w00"].copy()
    alone["worker"], alone["object"], alone["id"] = "alone", "x" + alone["object"], alone["id"] + 10**6
    found = summarize_workers(pd.concat([ledger, alone]))
    frame = found.to_frame()
    assert math.isnan(frame.loc["alone", "agreement"])
    assert frame.loc["alone", "comparisons"] == 0
    assert frame.loc["alone", "suspicious"] == 0
    assert 0.3 < found.overall < 0.9
    assert agreement.shrunk(np.array([-1.0]), np.array([2]), found.overall)[0] > found.overall - 0.2


def test_only_the_last_word_counts_and_what_is_withdrawn_does_not():
    ledger = ledger_of(
        [
            (1.0, "a", "A", "b1", "x", "q", "answer", 1.0, 2.0, 1.0),
            (2.0, "a", "A", "b1", "y", "q", "cant_tell", math.nan, 2.0, 1.0),
            (3.0, "a", "A", "b1", "x", "q", "correction", 0.0, 0.0, 1.0),
            (4.0, "b", None, "b2", "x", "q", "answer", 1.0, 2.0, 5.0),
            (5.0, "b", None, "b2", "x", "q", "withdrawal", math.nan, 0.0, math.nan),
        ]
    )
    found = summarize_workers(ledger).to_frame()
    assert found["judgments"].tolist() == [1, 0]
    assert found["cant_tell"].tolist() == [0.5, 0.0]
    assert found["batches"].tolist() == [1, 0]
    assert found["earned"].tolist() == [4.0, 2.0]
    assert found["external"].tolist() == ["A", None]
    assert found["comparisons"].tolist() == [0, 0]
    assert (found["first"].tolist(), found["last"].tolist()) == ([1.0, 4.0], [3.0, 5.0])


def test_rows_without_a_batch_are_one_of_their_worker():
    ledger = crowd(0)
    ledger.loc[ledger["worker"].isin(["w01", "w02"]), "batch"] = None
    found = summarize_workers(ledger).to_frame()
    assert found.loc[["w01", "w02"], "batches"].tolist() == [1, 1]


def test_an_empty_ledger_has_no_workers():
    found = summarize_workers(ledger_of([]), {"q": 1.0})
    assert len(found.to_frame()) == 0
    assert len(suggested_bonuses(found, pay_per_unit=0.01, currency="USD")) == 0
    assert found.to_document()["workers"] == []


def test_prices_stand_in_for_costs_that_are_not_there():
    ledger = crowd(0, binary=(True,))
    ledger["cost"] = np.nan
    assert summarize_workers(ledger, {"a0": 3.0}).earned.sum() == 3.0 * len(ledger)
    with refused(JudgmentsError, value="a0", column="cost"):
        summarize_workers(ledger, {"other": 1.0})
    with refused(JudgmentsError, column="seconds"):
        summarize_workers(ledger.drop(columns="seconds"))


# ------------------------------------------------------------------------------------------------------------- bonuses


def test_bonuses_go_to_those_who_are_clearly_better():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=300)
    rows = []
    for w in range(12):
        for o in rng.choice(300, 120, replace=False):
            value = float(truth[o] + (0.15 if w < 2 else 1.0) * rng.normal())
            value = float(rng.normal()) if w == 11 else value
            rows.append((1e9 + len(rows), f"w{w:02d}", f"=ext{w}", f"b{w}", f"o{o}", "a", "answer", value, 0.5, 2.0))
    found = summarize_workers(ledger_of(rows))
    paid = suggested_bonuses(found, pay_per_unit=0.02, currency="EUR", external=True)
    assert paid["worker"].tolist() == ["w00", "w01"]
    assert list(paid.columns) == ["worker", "external", "judgments", "agreement", "pay", "bonus", "currency", "reason"]
    assert paid["pay"].tolist() == [1.2, 1.2]
    assert paid["bonus"].tolist() == [0.24, 0.24]
    assert "is typical of these questions, in 120 comparisons" in paid["reason"][0]
    assert "external" not in suggested_bonuses(found, pay_per_unit=0.02, currency="EUR")
    assert len(suggested_bonuses(found, pay_per_unit=0.0, currency="EUR")) == 0
    for wrong in ({"share": -1}, {"share": math.nan}, {"pay_per_unit": "a"}):
        with refused(PlanError, value=next(iter(wrong.values())), column=next(iter(wrong))):
            suggested_bonuses(found, **({"pay_per_unit": 1.0, "currency": "EUR"} | wrong))


def test_in_a_crowd_of_equals_hardly_anybody_gets_a_bonus():
    paid = [
        len(suggested_bonuses(summarize_workers(crowd(seed, objects=200)), pay_per_unit=1.0, currency="USD"))
        for seed in range(10)
    ]
    assert sum(paid) <= 0.12 * 160
