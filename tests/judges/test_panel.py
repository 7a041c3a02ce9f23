from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from manyjudges import Judgments, Moments, MultiSelectRegressor, select
from manyjudges.exceptions import JudgmentsError, MomentsError, PlanError
from manyjudges.judges import by_judge, panel_variance
from manyjudges.judges.panel import COMPONENTS
from manyjudges.learn.checks.registry import CHECKS
from manyjudges.simulate import simulate_panel
from tests.support.messages import refused


def gappy(frame, rng, kept=0.6):
    """Some of the calls, so that counts differ and pairs are missing."""
    return frame[rng.random(len(frame)) < kept]


def noise_of(frame, groups=None):
    return panel_variance(by_judge(frame), groups=groups)


def block(frame, attribute, models, prompts, calls):
    """Calls of a balanced panel as (objects, models, prompts, calls)."""
    rows = frame[frame["attribute"] == attribute].sort_values(["object", "worker"], kind="stable")
    return rows["value"].to_numpy().reshape(-1, models, prompts, calls)


def balanced_anova(x):
    """Textbook mean squares of objects × (prompts in models), all random, after the judges' levels are taken off."""
    n, models, prompts, calls = x.shape
    x = x - x.mean(axis=(0, 3), keepdims=True)
    cell = x.mean(axis=3)
    by_model, by_object = cell.mean(axis=2), cell.mean(axis=(1, 2))
    ms_calls = ((x - cell[..., None]) ** 2).sum() / (n * models * prompts * (calls - 1))
    ms_prompt = calls * ((cell - by_model[..., None]) ** 2).sum() / max((n - 1) * models * (prompts - 1), 1)
    ms_model = prompts * calls * ((by_model - by_object[:, None]) ** 2).sum() / ((n - 1) * (models - 1))
    ms_object = models * prompts * calls * (by_object**2).sum() / (n - 1)
    below = ms_prompt if prompts > 1 else ms_calls
    return {
        "object": (ms_object - ms_model) / (models * prompts * calls),
        "between": (ms_model - below) / (prompts * calls),
        "prompt": (ms_prompt - ms_calls) / calls if prompts > 1 else np.nan,
        "within": ms_calls,
    }


def plain_components(frame, groups):
    """Word for word: pairs of judges, a loop over what both have judged."""
    calls = {key: list(rows) for key, rows in frame.groupby(["object", "worker"])["value"]}
    judges = sorted(frame["worker"].unique())
    spread = {key: np.var(x, ddof=1) for key, x in calls.items() if len(x) > 1}
    within = np.mean(list(spread.values()))
    own = {w: [v for (_, j), v in spread.items() if j == w] for w in judges}
    own = {w: np.mean(v) if v else within for w, v in own.items()}
    error = {(o, w): (spread[o, w] if len(x) > 1 else own[w]) / len(x) for (o, w), x in calls.items()}
    sums = {kind: [0.0, 0.0] for kind in ("other", "same", "agreed")}
    for a, b in itertools.combinations(judges, 2):
        both = sorted({o for o, w in calls if w == a} & {o for o, w in calls if w == b})
        if len(both) < 2:
            continue
        x, y = (np.array([np.mean(calls[o, w]) for o in both]) for w in (a, b))
        variance = np.var(x - y, ddof=1) - np.mean([error[o, a] + error[o, b] for o in both])
        kind = "same" if groups[a] == groups[b] else "other"
        sums[kind][0] += (len(both) - 1) * variance / 2
        sums[kind][1] += len(both) - 1
        if kind == "other":
            sums["agreed"][0] += (len(both) - 1) * np.cov(x, y)[0, 1]
            sums["agreed"][1] += len(both) - 1
    other, same, agreed = (total / n if n else np.nan for total, n in sums.values())
    return {"object": agreed, "between": other - np.nan_to_num(same), "prompt": same, "within": within}


@pytest.mark.parametrize("prompts", [1, 2])
def test_balanced_data_give_the_textbook_analysis_of_variance(prompts):
    panel = simulate_panel(40, 2, 3, prompts=prompts, calls=3, prompt=0.4, random_state=1)
    found = noise_of(panel.frame, panel.groups).components
    for name in found.index:
        expected = balanced_anova(block(panel.frame, name, 3, prompts, 3))
        np.testing.assert_allclose(found.loc[name], [expected[part] for part in COMPONENTS], rtol=1e-9)


def test_unbalanced_data_give_what_pairs_of_judges_give_one_by_one(rng):
    panel = simulate_panel(30, 2, 3, prompts=2, calls=3, prompt=0.4, random_state=2)
    frame = gappy(panel.frame, rng, 0.45)
    found = noise_of(frame, panel.groups).components
    for name in found.index:
        expected = plain_components(frame[frame["attribute"] == name], panel.groups)
        np.testing.assert_allclose(found.loc[name], [expected[part] for part in COMPONENTS], rtol=1e-9)


def test_a_judge_who_was_never_asked_twice_is_taken_to_be_as_noisy_as_the_others(rng):
    panel = simulate_panel(30, 1, 3, calls=2, random_state=3)
    once = panel.frame.drop_duplicates(["object", "worker"])
    frame = pd.concat([panel.frame[panel.frame["worker"] != "model c"], once[once["worker"] == "model c"]])
    expected = plain_components(frame, panel.groups)
    np.testing.assert_allclose(noise_of(frame).components.iloc[0], [expected[part] for part in COMPONENTS], rtol=1e-9)


@pytest.mark.slow
def test_components_are_unbiased_and_their_standard_errors_right_with_gaps_everywhere():
    truth = {"object": 1.3, "between": 0.6, "prompt": 0.2, "within": 0.8}
    options = {"shared": 0.3, "between": 0.6, "prompt": 0.2, "within": 0.8, "leniency": 2.0}
    found, errors = [], []
    for seed in range(300):
        panel = simulate_panel(25, 1, 3, prompts=2, **options, random_state=seed)
        noise = noise_of(gappy(panel.frame, np.random.default_rng(seed)), panel.groups)
        found.append(noise.components.iloc[0])
        errors.append(noise.std_errors.iloc[0])
    found, errors = pd.DataFrame(found), pd.DataFrame(errors)
    z = (found.mean() - pd.Series(truth)) / (found.std() / np.sqrt(len(found)))
    assert (z.abs() < 3.5).all(), z
    assert ((errors**2).mean() / found.var()).between(0.8, 1.25).all()


def test_the_model_of_a_simulated_panel_is_what_is_estimated():
    panel = simulate_panel(
        4000, 2, 3, prompts=2, between=[0.2, 0.5, 1.1], prompt=0.3, within=[[0.4], [0.9]], random_state=0
    )
    noise = noise_of(panel.frame, panel.groups)
    assert noise.std_errors.lt(0.05).all(axis=None)
    assert (noise.components - panel.components).abs().lt(4 * noise.std_errors).all(axis=None)


def panels(draw):
    """Small panels with gaps and ties."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    models, prompts = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    panel = simulate_panel(12, 2, models, prompts=prompts, calls=3, prompt=0.3, random_state=int(rng.integers(1000)))
    frame = gappy(panel.frame, rng, 0.8)
    return panel, frame.assign(value=(2 * frame["value"]).round() / 2), rng


panels = st.composite(panels)()


@given(panels)
def test_the_order_of_rows_does_not_matter(given_panel):
    panel, frame, rng = given_panel
    left, right = noise_of(frame, panel.groups), noise_of(frame.iloc[rng.permutation(len(frame))], panel.groups)
    assert_frame_equal(left.to_frame(), right.to_frame())
    assert_frame_equal(left.pairs, right.pairs, atol=1e-12)


@given(panels)
def test_names_of_judges_do_not_matter(given_panel):
    panel, frame, rng = given_panel
    new = dict(zip(panel.groups, map(str, rng.permutation(len(panel.groups))), strict=True))
    left = noise_of(frame, panel.groups)
    groups = {new[judge]: f"of {model}" for judge, model in panel.groups.items()}
    right = noise_of(frame.assign(worker=frame["worker"].map(new)), groups)
    assert_frame_equal(left.to_frame(), right.to_frame())
    distance = {frozenset((new[a], new[b])): d for a, b, d in left.pairs[["judge", "other", "between"]].to_numpy()}
    renamed = {frozenset((a, b)): d for a, b, d in right.pairs[["judge", "other", "between"]].to_numpy()}
    assert renamed == pytest.approx(distance, abs=1e-9)


@given(panels, st.floats(-1e5, 1e5), st.floats(0.01, 100))
def test_a_judges_leniency_does_not_matter_and_units_only_scale(given_panel, shift, unit):
    panel, frame, _ = given_panel
    who, what = frame["worker"].iloc[0], frame["attribute"].iloc[0]
    moved = frame["value"] + shift * ((frame["worker"] == who) & (frame["attribute"] == what))
    left = noise_of(frame, panel.groups)
    right = noise_of(frame.assign(value=unit * moved), panel.groups)
    np.testing.assert_allclose(right.components, unit**2 * left.components, rtol=1e-6, atol=1e-8 * unit**2)
    np.testing.assert_allclose(right.pooled, left.pooled, atol=1e-6)


@given(panels, st.data())
def test_opinions_keep_within_calls_and_grow_with_them_up_to_the_ceiling(given_panel, data):
    panel, frame, _ = given_panel
    noise = noise_of(frame, panel.groups)
    repeats = {column: data.draw(st.integers(0, 5)) for column in noise.columns}
    found = noise.opinions(repeats)
    assert (found["opinions"] <= found["calls"] * (1 + 1e-9)).all()
    assert (found["opinions"] >= 1 - 1e-9).all()
    assert (found["opinions"] <= noise.ceiling[found.index] * (1 + 1e-9)).all()
    column = data.draw(st.sampled_from(noise.columns))
    more = noise.opinions(repeats | {column: repeats[column] + data.draw(st.integers(1, 3))})
    assert (more["opinions"] >= found["opinions"].reindex(more.index, fill_value=0.0) * (1 - 1e-9)).all()


@given(panels)
def test_one_call_is_one_opinion_and_endless_calls_are_the_ceiling(given_panel):
    panel, frame, _ = given_panel
    noise = noise_of(frame, panel.groups)
    for column in noise.columns:
        assert noise.opinions({column: 1})["opinions"].tolist() == [pytest.approx(1)]
    endless = noise.opinions(dict.fromkeys(noise.columns, 10**12))["opinions"]
    known = np.isfinite(noise.ceiling)
    np.testing.assert_allclose(endless[known], noise.ceiling[known], rtol=1e-6)
    assert (endless[~known] > 1e6).all()


def test_opinions_of_a_plan_count_only_what_it_asks_for():
    panel = simulate_panel(100, 2, 3, between=1.0, within=0.1, random_state=0)
    judgments = by_judge(panel.frame)
    noise = panel_variance(judgments)
    plan = select(Moments.estimate(judgments, panel.labels), budget=4)
    assert_frame_equal(noise.opinions(plan), noise.opinions(plan.repeats))
    assert noise.opinions({}).empty
    assert noise.opinions({"criterion 1 @ model a": 0}).empty


def test_ten_calls_of_one_model_with_views_of_its_own_are_hardly_more_than_one_opinion():
    noise = noise_of(simulate_panel(300, 1, 3, between=1.0, within=0.1, random_state=0).frame)
    assert noise.opinions({"criterion 1 @ model a": 10})["opinions"].item() < 1.15
    spread = {f"criterion 1 @ model {name}": 1 for name in "abc"}
    assert noise.opinions(spread)["opinions"].item() == pytest.approx(3)


def test_prompts_of_one_model_share_its_view():
    panel = simulate_panel(400, 1, 3, prompts=2, between=1.0, prompt=0.1, within=0.1, random_state=0)
    told, untold = noise_of(panel.frame, panel.groups), noise_of(panel.frame)
    both = {f"criterion 1 @ model a, prompt {i}": 1 for i in (1, 2)}
    assert told.opinions(both)["opinions"].item() < 1.2
    assert told.opinions(both)["models"].item() == 1
    assert untold.opinions(both)["opinions"].item() == pytest.approx(2)


def test_the_same_model_under_two_names_is_found_out():
    panel = simulate_panel(200, 2, 3, calls=4, between=0.5, within=0.3, random_state=0)
    frame = panel.frame
    second = frame.groupby(["object", "attribute", "worker"]).cumcount() >= 2
    frame = frame.assign(worker=frame["worker"].where(~((frame["worker"] == "model b") & second), "model x"))
    alike = noise_of(frame).alike()
    assert alike[["judge", "other"]].to_numpy().tolist() == [["model b", "model x"]]
    assert alike["between"].item() == pytest.approx(0, abs=0.03)
    assert noise_of(frame).alike(max_distance=0).empty
    assert len(noise_of(frame).alike(max_distance=100)) == 6


def test_copies_without_any_noise_are_alike():
    panel = simulate_panel(50, 1, 2, within=0.0, random_state=0)
    copy = panel.frame[panel.frame["worker"] == "model a"].assign(worker="copy")
    copy["value"] += 3
    assert noise_of(pd.concat([panel.frame, copy])).alike()[["judge", "other"]].to_numpy().tolist() == [
        ["copy", "model a"]
    ]


def test_where_nobody_errs_one_opinion_is_as_good_as_any_number():
    panel = simulate_panel(50, 1, 2, between=0.0, within=0.0, leniency=0.0, random_state=0)
    noise = noise_of(panel.frame)
    assert noise.components.loc["criterion 1", "between"] == pytest.approx(0, abs=1e-12)
    frame = panel.frame.assign(value=1.0)
    assert noise_of(frame).opinions({"criterion 1 @ model a": 5})["opinions"].item() == 1
    assert noise_of(frame).ceiling.item() == 1


def test_estimates_below_zero_are_kept_and_not_used():
    seeds = [noise_of(simulate_panel(20, 1, 2, between=0.0, within=2.0, random_state=s).frame) for s in range(8)]
    below = next(noise for noise in seeds if noise.components["between"].item() < 0)
    assert below.used["between"].item() == 0
    assert below.opinions({"criterion 1 @ model a": 7})["opinions"].item() == pytest.approx(7)
    assert below.ceiling.item() == np.inf
    assert "∞ independent opinions" in repr(below)


def test_one_judge_is_said_to_tell_nothing_about_models():
    panel = simulate_panel(60, 2, 1, random_state=0)
    noise = noise_of(panel.frame)
    assert [warning.kind for warning in noise.warnings] == ["one_judge"]
    assert "No two models judged 'criterion 1', 'criterion 2' of the same objects" in noise.message
    assert noise.components[["object", "between"]].isna().all(axis=None)
    assert noise.components["within"].gt(0).all()
    assert np.isnan(noise.opinions({"criterion 1 @ model a": 2})["opinions"].item())
    assert noise.ceiling.isna().all()
    assert noise.pairs.empty
    assert noise.message in repr(noise)
    assert "opinions" not in repr(noise)


def test_prompts_of_a_single_model_tell_of_prompts_alone():
    panel = simulate_panel(200, 1, 1, prompts=3, prompt=0.5, random_state=0)
    noise = noise_of(panel.frame, panel.groups)
    assert [warning.kind for warning in noise.warnings] == ["one_judge"]
    assert noise.components["prompt"].item() == pytest.approx(0.5, abs=4 * noise.std_errors["prompt"].item())
    assert np.isnan(noise.components["between"].item())
    assert len(noise.pairs) == 3


def test_judges_who_never_meet_tell_nothing_either():
    frame = simulate_panel(60, 1, 2, random_state=0).frame
    early = frame["object"] <= "object 0030"
    noise = noise_of(frame[early == (frame["worker"] == "model a")])
    assert [warning.kind for warning in noise.warnings] == ["one_judge"]
    assert noise.pairs.empty


def test_without_repeats_it_is_said_that_calls_and_judges_cannot_be_told_apart():
    noise = noise_of(simulate_panel(60, 1, 3, calls=1, random_state=0).frame)
    assert [warning.kind for warning in noise.warnings] == ["no_repeats"]
    assert "No judge was asked twice about 'criterion 1' of any object" in repr(noise)
    assert noise.components[["between", "within"]].isna().all(axis=None)
    assert np.isfinite(noise.components["object"].item())
    assert noise.alike().empty


def test_few_objects_are_said_to_be_few_and_two_are_refused():
    frame = simulate_panel(5, 1, 2, random_state=0).frame
    assert [warning.kind for warning in noise_of(frame).warnings] == ["panel_few_objects"]
    with refused(MomentsError, value=2, column="objects"):
        noise_of(frame[frame["object"] <= "object 0002"])


def test_its_warnings_are_not_called_like_checks_of_the_data():
    small, single = (
        simulate_panel(5, 1, 2, random_state=0).frame,
        simulate_panel(5, 1, 1, calls=1, random_state=0).frame,
    )
    kinds = {warning.kind for frame in (small, single) for warning in noise_of(frame).warnings}
    assert len(kinds) > 1
    assert not kinds & {check.kind for check in CHECKS}


def test_an_attribute_of_one_judge_does_not_spoil_the_others():
    frame = simulate_panel(80, 2, 3, random_state=0).frame
    kept = (frame["attribute"] == "criterion 1") | (frame["worker"] == "model b")
    noise, whole = noise_of(frame[kept]), noise_of(frame[frame["attribute"] == "criterion 1"])
    assert_frame_equal(noise.components.loc[["criterion 1"]], whole.components)
    np.testing.assert_allclose(noise.pooled, whole.pooled)
    assert noise.warnings[0].values == {"attributes": ["criterion 2"]}
    assert noise.to_frame()["judges"].tolist() == [3, 1]


def test_large_levels_lose_no_precision():
    frame = simulate_panel(60, 1, 3, random_state=0).frame
    far = frame.assign(value=frame["value"] + 1e8)
    np.testing.assert_allclose(noise_of(far).components, noise_of(frame).components, rtol=1e-6)


def test_what_it_says():
    panel = simulate_panel(200, 2, 3, prompts=2, prompt=0.2, random_state=0)
    said = repr(noise_of(panel.frame, panel.groups)).splitlines()
    assert said[0] == "Noise of 6 judges of 3 models, 2 attributes of 200 objects"
    assert said[1].count("%") == 4
    assert "a prompt's" in said[1]
    assert "a prompt's" not in repr(noise_of(panel.frame))
    assert "<table" in noise_of(panel.frame)._repr_html_()
    assert noise_of(panel.frame, panel.groups).pooled.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("groups", "value", "row"),
    [
        ({"model z": "m"}, "model z", None),
        ({"model a": None}, None, "model a"),
        (["model a"], ["model a"], None),
    ],
)
def test_groups_that_make_no_sense_are_refused(groups, value, row):
    with refused(JudgmentsError, column="groups", value=value, row=row):
        noise_of(simulate_panel(5, 1, 2, random_state=0).frame, groups)


def test_columns_that_name_no_judge_are_refused():
    for name in ("tone", " @ gpt", "tone @ "):
        judgments = Judgments.from_array(np.ones((4, 1, 2)), attributes=[name])
        with refused(JudgmentsError, column=name):
            panel_variance(judgments)
    with refused(JudgmentsError, column="judgments"):
        panel_variance(pd.DataFrame())
    with refused(MomentsError, column="a @ b"):
        panel_variance(Judgments.from_array(np.full((4, 1, 2), 1e200), attributes=["a @ b"]))


@pytest.mark.parametrize(
    ("repeats", "value", "row"),
    [
        ({"criterion 1 @ model q": 1}, "criterion 1 @ model q", None),
        ({"criterion 1 @ model a": -1}, -1, "criterion 1 @ model a"),
        ({"criterion 1 @ model a": 1.5}, 1.5, "criterion 1 @ model a"),
        ({"criterion 1 @ model a": True}, True, "criterion 1 @ model a"),
        (3, 3, None),
        ({7: 1}, 7, None),
    ],
)
def test_repeats_that_make_no_sense_are_refused(repeats, value, row):
    noise = noise_of(simulate_panel(40, 1, 2, random_state=0).frame)
    with refused(PlanError, column="repeats", value=value, row=row):
        noise.opinions(repeats)


@pytest.mark.parametrize("most", [-1, None, "much", True, np.nan])
def test_alike_refuses_what_is_no_share(most):
    with refused(JudgmentsError, column="max_distance", value=most):
        noise_of(simulate_panel(40, 1, 2, random_state=0).frame).alike(most)


def loss(model, judgments, labels):
    return float(np.mean((model.predict(judgments) - labels.to_numpy()) ** 2))


def as_calls_of_one(panel, plan, judge):
    """What a plan over plain attributes asks for, all of it answered by one judge."""
    bought = panel.follow({f"{name} @ {judge}": n for name, n in plan.repeats.items()}).to_frame()
    return Judgments.from_frame(bought.assign(attribute=bought["attribute"].str.split(" @ ").str[0]), worker=None)


@pytest.mark.parametrize("seed", range(3))
def test_where_repeats_are_useless_a_plan_by_judge_asks_many_models_and_the_naive_one_asks_again(seed):
    panel = simulate_panel(300, 4, 4, between=2.0, within=0.05, random_state=seed)
    new = panel.more(1500)
    naive = MultiSelectRegressor(12, method="full", shrinkage=0.0).fit(
        Judgments.from_frame(panel.frame, worker=None), panel.labels
    )
    plan = MultiSelectRegressor(12, method="full", shrinkage=0.0).fit(by_judge(panel.frame), panel.labels)
    assert max(naive.plan_.repeats.values()) >= 5
    assert max(plan.plan_.repeats.values()) == 1
    assert {column.rpartition(" @ ")[2] for column in plan.plan_.repeats} == set(panel.groups)
    # The naive plan's promise is broken when the calls it takes for opinions are those of one model.
    variance = naive.plan_.label_variance
    assert loss(naive, as_calls_of_one(new, naive.plan_, "model a"), new.labels) > 1.4 * naive.plan_.projected_loss
    honest = loss(plan, new.follow(plan.plan_), new.labels)
    assert abs(honest - plan.plan_.projected_loss) < 0.1 * variance
    assert honest < 0.7 * loss(naive, as_calls_of_one(new, naive.plan_, "model a"), new.labels)
    worth = panel_variance(by_judge(panel.frame)).opinions(plan.plan_)["opinions"]
    assert worth.sum() > 10
