"""Pages from results: one HTML file, and two pages of the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from experiments import findings
from experiments.catalogue import CROWDS, EXPERIMENTS, PHOTOS
from experiments.figures import FIGURES, results, titled
from experiments.runner import HERE

DOCS = HERE.parent / "docs"

NEEDED = ("tables", "slice", "tradeoff-slice", *PHOTOS)
"""What the pages cannot do without; recorded crowds are there if their data are."""

PAPER = {
    "slice": "Full has a lower test error than Averages and Copies; Scoring is usually somewhat worse than Full.",
    "photos": "Full has a lower test error than Averages, Copies and the numeric estimate alone; Scoring is usually "
    "somewhat worse than Full, and at small budgets sometimes worse than the baselines.",
    "small": "Full has a lower test error than the baselines here, too; with few training photos Scoring is sometimes "
    "better than Full, since it over-fits less.",
    "tradeoff": "A small number of judgments a pair is clearly preferable. (The caption of the paper's figure says "
    "training loss, its text test error; this is test error.)",
    "map": "All combinations of useful and useless, of stable and noisy attributes exist.",
    "crowd": "Not in the paper: its protocol on the recorded judgments of a real crowd.",
}


def _paper(key: str) -> str:
    if key.startswith("tradeoff"):
        return PAPER["tradeoff"]
    if key.startswith("map"):
        return PAPER["map"]
    if key.startswith("slice"):
        return PAPER["slice"]
    if key in CROWDS:
        return PAPER["crowd"]
    return PAPER["small"] if key.endswith("-100") else PAPER["photos"]


def sections(found: dict[str, Any]) -> list[dict[str, str]]:
    """A section for each figure: what the paper found, what is seen here."""
    out = []
    for key in ("slice", "slice-part", *PHOTOS, "tables", "tradeoff-slice", *CROWDS):
        if key not in found:
            continue
        result = found[key]
        if key == "tables":
            out += [_map_section(result, label) for label in result["labels"]]
        elif key.startswith("tradeoff"):
            seen = findings.tradeoff_sentence(result)
            out.append(_section(key, titled(result), result["about"], seen, "The trade-off of k against objects."))
        else:
            seen = f"{findings.curve_sentence(result)} {findings.ours_sentence(result)}"
            out.append(_section(key, titled(result), result["about"], seen, "Test error against budget."))
    return out


def _map_section(result: dict[str, Any], label: str) -> dict[str, str]:
    pattern = result["labels"][label]["pattern"]
    each = "; ".join(
        f"{name}: {row['attributes_a_plan']:g} attributes a plan, {row['judgments_each'] or 0:g} judgments each"
        for name, row in pattern.items()
    )
    return _section(
        f"map-{label}",
        f"Attributes for {label} (simulated)",
        result["about"],
        f"Plans of Full with a budget of {result['labels'][label]['budget']}, on average: {each}.",
        f"Correlation with {label} against noise, for all attributes.",
    )


def _section(key: str, title: str, about: str, seen: str, alt: str) -> dict[str, str]:
    return {"key": key, "title": title, "about": about, "paper": _paper(key), "seen": seen, "alt": f"{title}. {alt}"}


def rendered() -> dict[Path, str]:
    """Every page and its text."""
    done = results()
    found = {key: done[key] for key in EXPERIMENTS if key in done}
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=select_autoescape(["html.jinja"]),
        keep_trailing_newline=True,
    )
    values = {"sections": sections(found), "results": found, "findings": findings, "titled": titled, "photos": PHOTOS}
    pages = {DOCS / "experiments.md": "experiments.md.jinja", DOCS / "reproduced.md": "reproduced.md.jinja"}
    texts = {path: environment.get_template(name).render(**values) for path, name in pages.items()}
    svg = {each["key"]: Markup(_inline(each["key"], each["alt"])) for each in values["sections"]}  # noqa: S704 - our own
    texts[HERE / "index.html"] = environment.get_template("index.html.jinja").render(**values, svg=svg)
    return texts


def _inline(key: str, alt: str) -> str:
    """A figure as an element of a page, with a text in its place and names that no other figure has."""
    text = (FIGURES / f"{key}.svg").read_text(encoding="utf-8")
    text = text[text.index("<svg") :]
    for mark in ('id="', "url(#", 'href="#'):
        text = text.replace(mark, f"{mark}{key}-")
    return text.replace("<svg", f'<svg role="img" aria-label="{Markup.escape(alt)}"', 1)


def write_all() -> Path:
    """Write all pages; the HTML page is the one to open."""
    for path, text in rendered().items():
        path.write_text(text, encoding="utf-8")
    return HERE / "index.html"
