"""
From rubric to predictor
========================

Language models judge essays by a rubric of twelve criteria, and people have rated some of the essays. Which criteria
are worth asking about, which model should be asked, how often, and what does it cost to come near to what people say?

The judgments are simulated, so that true errors can be told. Replace ``panel.frame`` by your table of calls (object,
attribute, worker, value) and ``panel.labels`` by your ratings; :doc:`/panels` says more about models as judges.
"""

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.ticker import PercentFormatter

from manyjudges import MultiSelectRegressor
from manyjudges.judges import by_judge, panel_variance
from manyjudges.simulate import simulate_panel

# %%
# The rubric: how much each criterion counts for what people say, and how vague it is, that is, how much models differ
# about it.

rubric = pd.DataFrame(
    {
        "thesis": (1.0, 0.8),
        "evidence": (0.9, 0.7),
        "depth": (0.8, 1.6),
        "structure": (0.6, 1.0),
        "originality": (0.5, 2.2),
        "clarity": (0.4, 1.0),
        "citations": (0.1, 0.3),
        "grammar": (0.1, 0.3),
        "length": (0.0, 0.1),
        "spelling": (0.0, 0.2),
        "tone": (0.0, 1.5),
        "vocabulary": (0.0, 1.2),
    },
    index=["weight", "vague"],
).T

# %%
# Three models. A call is paid by its tokens: an essay and a question go in, a short answer comes out. Prices are for a
# million tokens; what follows are dollars for one call about each of a thousand essays.

models = ["small", "medium", "large"]
tokens_in, tokens_out = 1100, 30
price_in, price_out = np.array([0.15, 0.8, 2.5]), np.array([0.6, 4.0, 12.0])
dollars = 1000 * (tokens_in * price_in + tokens_out * price_out) / 1e6
dict(zip(models, dollars.round(2).tolist(), strict=True))

# %%
# Each model was called twice about each criterion of 400 essays that people have rated. The larger the model, the less
# it has views of its own about an essay, and the less its calls differ.

vague = rubric["vague"].to_numpy()[:, None]
panel = simulate_panel(
    400,
    list(rubric.index),
    models,
    weights=rubric["weight"],
    overlap=0.15,
    between=vague * [1.6, 0.9, 0.5],
    within=vague * [0.5, 0.25, 0.15],
    prices=dollars,
    random_state=0,
)
judgments = by_judge(panel.frame)
panel_variance(judgments)

# %%
# Plans over 36 columns, such as ``"depth @ large"``, for some amounts of money, and against them the usual: every
# criterion asked once, or three times, of one of the models. All are fitted to the same 400 essays.

budgets = (1, 2, 4, 8, 16, 32, 64)


def planned(budget):
    return MultiSelectRegressor(budget, costs=panel.costs, shrinkage=0.1).fit(judgments, panel.labels)


def everything(name, times):
    """As many calls of one model about every criterion."""
    columns = [column for column in judgments.attributes if column.endswith(f"@ {name}")]
    costs = {column: panel.costs[column] for column in columns}
    model = MultiSelectRegressor(times * sum(costs.values()), costs=costs, max_repeats=dict.fromkeys(columns, times))
    return model.fit(judgments.only(columns), panel.labels)


plans = {budget: planned(budget) for budget in budgets}
usual = {(name, times): everything(name, times) for name in models for times in (1, 3)}

# %%
# The true error of each, on 2,000 new essays that are judged as it asks, as a share of the variance of what people say.

new = panel.more(2000)


def error(model):
    return float(np.mean((model.predict(new.follow(model.plan_)) - new.labels) ** 2) / new.labels.var())


found = pd.DataFrame(
    [
        (name, model.plan_.cost, sum(model.plan_.repeats.values()), error(model))
        for name, model in [
            *((f"plan for ${budget}", model) for budget, model in plans.items()),
            *((f"all criteria × {times}, {name}", model) for (name, times), model in usual.items()),
        ]
    ],
    columns=["way", "dollars", "calls", "error"],
).set_index("way")
found.round(2)

# %%
# Left, three calls for everything cost three times as much as one and are hardly better: what a model thinks of an
# essay comes back in each of them. Right, one plan in full. The small model is called again about what is vague, where
# its calls differ most; for a second view, the plan goes to another model, and only about what counts. Criteria that do
# not count go along a little with those that do, so that 18 cents are well spent on some of them; dollars are not.

BLUE, ORANGE, GREEN, PURPLE, GREY = "#3b82c4", "#d55e00", "#1a936f", "#a463b0", "#7f8890"
shown = plans[16].plan_
calls = pd.DataFrame(0, index=rubric.index, columns=models)
for column, count in shown.repeats.items():
    criterion, model = column.split(" @ ")
    calls.loc[criterion, model] = count

figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.6), width_ratios=[1.7, 1], layout="constrained")
curve = found[found.index.str.startswith("plan")]
left.plot(curve["dollars"], curve["error"], color=BLUE, marker="o", linewidth=2)
left.annotate("plans", curve[["dollars", "error"]].iloc[3], xytext=(-42, -12), textcoords="offset points", color=BLUE)
for name, colour in zip(models, (ORANGE, GREEN, PURPLE), strict=True):
    once, thrice = (found.loc[f"all criteria × {times}, {name}", ["dollars", "error"]] for times in (1, 3))
    left.plot(*zip(once, thrice, strict=True), color=colour, marker="s", linestyle=":")
    for point, text in ((once, f"{name},\nonce"), (thrice, "3 times")):
        left.annotate(text, point, xytext=(4, 6), textcoords="offset points", color=colour, fontsize="small")
left.set_xscale("log", base=2)
left.set_xticks([1, 4, 16, 64], labels=["$1", "$4", "$16", "$64"])
left.set_xlim(0.8, 200)
left.set_xlabel("for a thousand essays")
left.set_ylabel("share of the variance left unexplained")
left.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
left.set_title("All twelve criteria by one model, or a plan", loc="left")
left.grid(axis="y", color=GREY, alpha=0.25)
left.spines[["top", "right"]].set_visible(False)

right.imshow(np.where(calls > 0, calls, np.nan), cmap="Blues", vmin=-1, vmax=2 * calls.to_numpy().max(), aspect="auto")
for row, criterion in enumerate(calls.index):
    for at, model in enumerate(models):
        count = calls.loc[criterion, model]
        right.text(at, row, count or "·", ha="center", va="center", color="black" if count else GREY)
right.set_xticks(range(len(models)), labels=models)
right.set_yticks(range(len(calls)), labels=calls.index)
right.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
right.spines[:].set_visible(False)
right.set_title(f"Calls for ${shown.cost:.0f}", loc="left")
figure
