"""Report: one HTML file that says what to buy, what to expect of it, and why."""

from __future__ import annotations

__all__ = ["Report", "report"]

import html
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from manyjudges.base import documents
from manyjudges.base.formatting import clean
from manyjudges.base.messages import quote_value
from manyjudges.base.templates import check_extra, rendered
from manyjudges.base.version import __version__
from manyjudges.exceptions import DocumentError, ManyJudgesError
from manyjudges.reports.sections.registry import SECTIONS
from manyjudges.reports.sections.section import PageSource, render_section
from manyjudges.summary import Summary
from manyjudges.summary.overall import summarize


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A page that needs nothing but itself: no network, no other file. Made by :func:`report`.

    Attributes
    ----------
    summary : Summary
        The numbers behind it.
    html : str
        The page.
    """

    summary: Summary
    html: str = field(repr=False)

    @classmethod
    def from_summary(
        cls, summary: Summary, *, label_name: str | None = None, made: Mapping[str, object] | None = None
    ) -> Report:
        """Make the page of a summary.

        Parameters
        ----------
        summary : Summary
        label_name : str, optional
            What is predicted, such as "height in inches".
        made : mapping, optional
            What else to say about how it was made, such as ``{"date": "12 May", "by": "Ann"}``.
        """
        if not isinstance(summary, Summary):
            raise ManyJudgesError(
                f"a report is made of a Summary, not of {type(summary).__name__}; see summarize.",
                value=summary,
                column="summary",
            )
        if made is not None and not isinstance(made, Mapping):
            raise ManyJudgesError(
                f"made must be a mapping, such as {{'by': 'Ann'}}, not {quote_value(made)}.",
                value=made,
                column="made",
            )
        check_extra()
        return cls(summary, _rendered_page(PageSource(summary, clean(label_name or "the label"), dict(made or {}))))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        _check_target(path)
        documents.write(path, self.html)

    def __repr__(self) -> str:
        return f"Report “{self.summary.title}” ({len(self.html) / 1000:,.0f} kB): {self.summary.answer.sentence}"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html, quote=True)}" title="{html.escape(self.summary.title)}" '
            'style="width:100%;height:44rem;border:1px solid #8888;border-radius:6px" loading="lazy"></iframe>'
        )


def _rendered_page(source: PageSource) -> str:
    rendered_sections = [render_section(section, source) for section in SECTIONS]
    return rendered(
        "reports/report.html.jinja",
        title=clean(source.summary.title) or "Report",
        label=source.label,
        overview=source.summary.overview,
        sections=[section for section in rendered_sections if section is not None],
        version=__version__,
    )


def _check_target(path: Any) -> None:
    """Refuse what cannot become a file, before anything takes time."""
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise DocumentError(
            f"a report is written to a file's path, not to {quote_value(path)}.", value=path, column="path"
        )
    documents.check_target(path, documents.HTML)


def report(
    judgments: Any,
    labels: Any,
    budget: float | str | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    title: str | None = None,
    label_name: str | None = None,
    mute: Collection[str] = (),
    **options: Any,
) -> Report:
    """Plan, look at the plan from all sides, and write it all on one page.

    Needs matplotlib and jinja2: ``pip install 'manyjudges[report]'``.

    Parameters
    ----------
    judgments, labels, budget
        As for :func:`summarize`.
    out : path, optional
        A file to write the page to.
    title : str, optional
        Of the page.
    label_name : str, optional
        What is predicted, such as "height in inches".
    mute : collection of str
        Codes of checks to leave out, such as ``("MJ103",)``; see :func:`check_data`. The page lists them as muted.
    **options
        All else that :func:`summarize` takes: ``total``, ``new``, ``price``, ``costs``, ``currency``, ``method``,
        ``shrinkage``, ``budgets``, ``max_repeats``, ``recorded``, ``noiseless``, ``unmatched``, ``cv``, ``cv_repeats``,
        ``random_state``, ``progress``, and how to read a table. With the same ``random_state``, the page is the same to
        the last byte.

    Examples
    --------
    >>> from manyjudges import simulate
    >>> from manyjudges.reports import report
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> page = report(crowd.pilot(2), crowd.labels, 8, budgets=[4, 8, 16], shrinkage=0, cv_repeats=1)
    >>> page.html[:15]
    '<!doctype html>'
    """
    check_extra()
    if out is not None:
        _check_target(out)
    summary = summarize(judgments, labels, budget, title=title, mute=mute, **options)
    page = Report.from_summary(summary, label_name=label_name)
    if out is not None:
        page.save(out)
    return page
