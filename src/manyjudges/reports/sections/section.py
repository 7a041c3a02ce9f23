"""What a section is, and how it becomes a piece of HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from manyjudges.base.templates import rendered
from manyjudges.summary import Summary

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes

ROWS = 20
"""Rows of a table that are shown at once; the others can be unfolded."""


@dataclass(frozen=True, eq=False)
class PageSource:
    """What a page is made from.

    Attributes
    ----------
    summary : Summary
    label : str
        What is predicted.
    made : mapping
        What else to say about how it was made.
    """

    summary: Summary
    label: str = "the label"
    made: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class SectionFigure:
    """A figure of a section.

    Attributes
    ----------
    key : str
        Prefix of its ids; the template finds it as ``figures.KEY``.
    title : str
    draw : callable
        From the page's source and axes to the axes, drawn on.
    finding : callable
        What it shows, in a sentence or two, for those who see it and for those who do not.
    heights : callable
        In inches, for a desk and for a phone.
    """

    key: str
    title: str
    draw: Callable[[PageSource, Axes], Axes]
    finding: Callable[[PageSource], str]
    heights: Callable[[PageSource], tuple[float, float]]


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes
    ----------
    key : str
        Its id on the page.
    link : str
        What the list of sections calls it.
    title : str
        Its heading.
    template : str
        In ``templates/sections``.
    values : callable
        From the page's source to what the template needs; None where there is nothing to show.
    figures : tuple of SectionFigure
    count : callable, optional
        A number to put beside the link, unless it is 0.
    """

    key: str
    link: str
    title: str
    template: str
    values: Callable[[PageSource], Mapping[str, Any] | None]
    figures: tuple[SectionFigure, ...] = ()
    count: Callable[[PageSource], int] | None = None


@dataclass(frozen=True)
class RenderedSection:
    """A section as the page shows it: ``key``, ``link``, ``title`` and ``html``."""

    key: str
    link: str
    title: str
    html: Markup


def render_section(section: Section, source: PageSource) -> RenderedSection | None:
    """Fill in a section's template; None where there is nothing to show."""
    from markupsafe import Markup

    from manyjudges.reports.figures import figure

    if (values := section.values(source)) is None:
        return None
    figures = {
        drawing.key: figure(
            drawing.key, drawing.title, drawing.finding(source), partial(drawing.draw, source), drawing.heights(source)
        )
        for drawing in section.figures
    }
    name = f"reports/sections/{section.template}"
    html = Markup(rendered(name, **values, figures=figures, most_rows=ROWS))  # noqa: S704  # the template escapes
    count = 0 if section.count is None else section.count(source)
    return RenderedSection(section.key, f"{section.link} ({count})" if count else section.link, section.title, html)
