from __future__ import annotations

import dataclasses
import importlib
import sys

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from manyjudges import ManyJudgesError, plots, simulate
from manyjudges.plots import canvas
from manyjudges.plots.canvas import Name
from manyjudges.plots.placement import Arranger, place
from manyjudges.summary import Residuals, summarize
from tests.support.messages import refused
from tests.support.summaries import attribute_map_of, names_of, reliability_of

ODD = ("😀 laughing", "שלום עולם", "$x_1$ or $", "a\nb\x07", "<b>&amp;", "名前", "_hidden", "")


def drawn(ax: Axes):
    """The renderer after drawing, with boxes in pixels."""
    figure = ax.get_figure(root=True)
    renderer = FigureCanvasAgg(figure).get_renderer()
    for _ in range(2):  # as saving does, and what the first time leaves behind must not disturb the second
        figure.draw(renderer)
    return renderer


def fresh(size=(7.2, 5.0)) -> Axes:
    return Figure(figsize=size, layout="constrained").subplots()


def boxes_of_names(ax: Axes) -> list:
    renderer = drawn(ax)
    return [a.get_window_extent(renderer) for a in ax.get_children() if isinstance(a, Name) and a.get_visible()]


def overlapping(boxes: list) -> list[tuple[int, int]]:
    pairs = [(i, j) for i in range(len(boxes)) for j in range(i)]
    return [(i, j) for i, j in pairs if boxes[i].width and boxes[j].width and boxes[i].overlaps(boxes[j])]


@pytest.mark.parametrize(("many", "long"), [(1, False), (10, False), (39, False), (39, True), (120, False)])
@pytest.mark.parametrize("size", [(7.2, 5.0), (3.6, 4.0)])
def test_names_on_the_map_do_not_overlap_and_stay_inside(many, long, size):
    ax = plots.attribute_map(attribute_map_of(names_of(many, long)), fresh(size))
    boxes = boxes_of_names(ax)
    assert overlapping(boxes) == []
    frame = ax.bbox
    assert all(b.x0 >= frame.x0 - 1 and b.x1 <= frame.x1 + 1 and b.y1 <= frame.y1 + 1 for b in boxes)
    arranger = next(a for a in ax.get_children() if isinstance(a, Arranger))
    unnamed = many - len(boxes)
    assert arranger.note.get_text() == (f"{unnamed} more, not named" if unnamed else "")
    if size[0] > 5 and not long and many <= 39:
        assert unnamed <= many / 5


def test_what_the_plan_buys_is_named_first():
    given = attribute_map_of(names_of(120))
    ax = plots.attribute_map(given, fresh())
    drawn(ax)
    named = {a.get_text() for a in ax.get_children() if isinstance(a, Name) and a.get_visible()}
    bought = {name for name, n in zip(given.attributes, given.repeats, strict=True) if n > 0}
    assert len(bought & named) >= 0.9 * len(bought)
    assert len(named) < 120


def test_placement_is_the_same_every_time_and_gives_up_where_there_is_no_room():
    points = np.column_stack([np.full(30, 20.0), np.full(30, 20.0)])
    sizes, radii = np.full((30, 2), 12.0), np.full(30, 3.0)
    first = place(points, sizes, radii, (0, 0, 40, 40))
    assert np.array_equal(first, place(points, sizes, radii, (0, 0, 40, 40)), equal_nan=True)
    assert 1 <= np.isfinite(first[:, 0]).sum() < 30


def test_a_name_may_be_anything():
    given = attribute_map_of(ODD)
    ax = plots.attribute_map(given, fresh())
    assert overlapping(boxes_of_names(ax)) == []
    drawn(plots.reliability(reliability_of(ODD), fresh()))


def test_attributes_of_which_nothing_is_known():
    given = attribute_map_of(("constant", "noise"))
    nothing = dataclasses.replace(
        given,
        correlation=np.array([np.nan, 0.2]),
        noise_ratio=np.array([np.inf, np.inf]),
        repeats=np.zeros(2, dtype=int),
    )
    assert len(boxes_of_names(plots.attribute_map(nothing, fresh()))) == 1
    none = dataclasses.replace(given, correlation=np.full(2, np.nan))
    assert boxes_of_names(plots.attribute_map(none, fresh())) == []
    unknown = reliability_of(("a", "b"))
    unknown = dataclasses.replace(unknown, projected=np.full_like(unknown.projected, np.nan))
    assert boxes_of_names(plots.reliability(unknown, fresh())) == []


def test_names_at_the_starts_of_curves_do_not_overlap():
    ax = plots.reliability(reliability_of(names_of(39)), fresh((7.2, 4.2)))
    boxes = boxes_of_names(ax)
    assert len(boxes) == 12
    assert overlapping(boxes) == []
    assert min(b.x0 for b in boxes) >= 0


@pytest.fixture(scope="module")
def study():
    crowd = simulate.jelly_beans(n_objects=120, random_state=7)
    return summarize(crowd.pilot(2), crowd.labels, 8, budgets=[2, 4, 8, 16], shrinkage=0, cv_repeats=1)


EVERY = {
    "plan": lambda s: s.answer,
    "budget_curve": lambda s: s.curve,
    "attribute_map": lambda s: s.attribute_map,
    "next_judgments": lambda s: s.next_judgments,
    "residuals": lambda s: s.residuals,
    "calibration": lambda s: s.calibration,
    "reliability": lambda s: s.reliability,
}


@pytest.mark.parametrize("name", sorted(EVERY))
def test_each_draws_on_the_axes_it_is_given_and_leaves_pyplot_alone(study, name):
    given = fresh()
    before = plt.get_fignums()
    ax = getattr(plots, name)(EVERY[name](study), given)
    assert ax is given
    drawn(ax)
    assert plt.get_fignums() == before
    with refused(ManyJudgesError, value=3, column="ax"):
        getattr(plots, name)(EVERY[name](study), 3)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_each_makes_its_own_axes_where_none_are_given(study, name):
    ax = getattr(plots, name)(EVERY[name](study))
    assert ax.get_figure().number in plt.get_fignums()
    plt.close(ax.get_figure())


def test_every_plot_is_public():
    assert sorted(plots.__all__) == sorted(EVERY)


def lines_of(ax: Axes, label: str) -> np.ndarray:
    return next(line.get_ydata() for line in ax.get_lines() if line.get_label() == label)


def test_the_curve_shows_the_numbers_of_the_summary(study):
    curve = study.curve
    ax = plots.budget_curve(curve, fresh())
    m = curve.methods.index("full")
    assert lines_of(ax, "full, honest") == pytest.approx(curve.error[m])
    assert lines_of(ax, "full, promised") == pytest.approx(curve.in_sample_error[m])
    relative = plots.budget_curve(curve, fresh(), relative=True)
    assert lines_of(relative, "full, honest") == pytest.approx(curve.explained[m])


def test_bars_are_as_long_as_the_shares(study):
    ax = plots.plan(study.answer, fresh())
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(study.answer.share)
    written = [a.get_text() for a in ax.get_children() if isinstance(a, Name)]
    assert f"{study.answer.repeats[0]} ×" in written
    assert study.answer.attributes[0] in written


def test_of_many_rows_the_first_are_drawn(study):
    ax = plots.next_judgments(study.next_judgments, fresh(), rows=2)
    assert len(ax.get_yticks()) == 2
    assert f"2 of {len(study.next_judgments.attributes)} attributes" in ax.get_xlabel()


def test_markers_grow_with_the_repeats():
    given = attribute_map_of(names_of(39))
    ax = plots.attribute_map(given, fresh())
    sizes = np.sort(ax.collections[0].get_sizes())
    assert len(sizes) == (given.repeats > 0).sum()
    assert sizes[-1] > sizes[0]


def test_of_many_objects_some_are_drawn_and_it_says_so():
    rng = np.random.default_rng(0)
    labels = rng.normal(size=5000)
    found = Residuals(np.arange(5000), labels, labels + rng.normal(size=5000), np.ones(5000), np.zeros(5000, dtype=int))
    ax = plots.residuals(found, fresh())
    assert len(ax.get_lines()[1].get_xdata()) == 1000
    assert ax.get_xlabel() == "predicted (1,000 of 5,000 objects)"


def test_colours_can_be_seen_on_white_and_on_black():
    for colour in (canvas.BLUE, canvas.ORANGE, canvas.GREEN, canvas.PURPLE, canvas.GREY):
        channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        light = float(linear @ [0.2126, 0.7152, 0.0722])
        assert 1.05 / (light + 0.05) >= 3
        assert (light + 0.05) / 0.05 >= 3


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("manyjudges.plots")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, name, None)
    with refused(ManyJudgesError, value="matplotlib"):
        _ = importlib.import_module("manyjudges.plots").plan


@pytest.mark.parametrize("width", [3.7, 7.4])
def test_labels_of_the_map_lie_within_the_figure(width):
    figure = Figure(figsize=(width, 4.0), layout="constrained")
    ax = plots.attribute_map(attribute_map_of(names_of(20)), figure.subplots())
    FigureCanvasAgg(figure).draw()
    box = ax.xaxis.label.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width


def test_a_plot_refuses_what_it_cannot_draw():
    for plot in (plots.plan, plots.budget_curve, plots.attribute_map, plots.next_judgments, plots.residuals):
        with refused(ManyJudgesError, value=5):
            plot(5)
    with refused(ManyJudgesError):
        plots.reliability(attribute_map_of(("a", "b")))
