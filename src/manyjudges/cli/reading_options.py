"""Reading options: what a user can say about a table, in the same words for every command that reads one.

``reads_tables`` adds them to a command, which is handed all of them as one ``TableOptions``. To add one, write it into
``SHARED`` under the name that ``ReadOptions.of`` knows, and every command has it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from manyjudges.cli.options import TABLE_ENDINGS, columns_of, one_of
from manyjudges.exceptions import PlanError

if TYPE_CHECKING:
    from manyjudges.tables.reading.options import ReadOptions

PANEL = "Reading the table"
"""The panel of the help in which all of them are."""

_AUTO = "auto"

_SHAPES = (
    *("long", "wide-by-rater", "wide-by-judgment", "sheets"),
    *("qualtrics", "sosci", "google-forms", "limesurvey", "redcap"),
)
"""Names of shapes, as in ``tables.shapes.registry``, which is not loaded for help."""

_FORMATS = "csv, tsv, json, jsonl, parquet, arrow, xlsx, ods, sav or dta"


def _option(metavar: str, help: str, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=PANEL)


def _column(role: str, what: str) -> Any:
    return Annotated[str | None, _option("COLUMN", f"Column with {what}.", f"--{role}")]


SHARED: dict[str, tuple[Any, Any]] = {
    "object": (_column("object", "the object that is judged"), None),
    "attribute": (_column("attribute", "the attribute, in a table with a row for each judgment"), None),
    "value": (_column("value", "the judgment itself, in such a table"), None),
    "worker": (_column("worker", "the judge; '' ignores the judges"), None),
    "label": (_column("label", "the label, the value to predict: in LABELS, or in the table itself"), None),
    "time": (_column("time", "the time of a judgment, for --repeated first or last"), None),
    "column": (
        Annotated[
            list[str] | None,
            _option(
                "ROLE=NAME",
                "The same in another way, such as worker=rater_id. label-object names the column of LABELS with the "
                "object. May be repeated.",
            ),
        ],
        None,
    ),
    "shape": (
        Annotated[
            str,
            one_of((_AUTO, *_SHAPES), help="How the table is laid out; auto recognises it.", rich_help_panel=PANEL),
        ],
        _AUTO,
    ),
    "drop": (
        Annotated[list[str] | None, _option("NAME", "A column or attribute to leave out. May be repeated.")],
        None,
    ),
    "scale": (
        Annotated[
            list[str] | None,
            _option(
                "WORDS",
                "Words of a scale, the lowest first, such as 'Never,Rarely,Often'. Usual scales are known. May be "
                "repeated.",
            ),
        ],
        None,
    ),
    "missing": (
        Annotated[
            list[str] | None,
            _option("CODES", "Codes and words that mean no answer, such as -99,-1. Blank, NA and the like are known."),
        ],
        None,
    ),
    "valid": (
        Annotated[
            list[str] | None,
            _option("CODES", "Answers that look like codes for no answer, such as 99, and are real."),
        ],
        None,
    ),
    "on_invalid": (
        Annotated[
            str,
            one_of(
                ("error", "skip"),
                help="How to handle invalid rows: stop with an error, or skip and count them.",
                rich_help_panel=PANEL,
            ),
        ],
        "error",
    ),
    "invalid_out": (
        Annotated[
            Path | None,
            _option("FILE", f"Where to list the rows that --on-invalid skip skipped: {TABLE_ENDINGS}."),
        ],
        None,
    ),
    "repeated": (
        Annotated[
            str,
            one_of(
                ("error", "first", "last", "mean"),
                help="Where a judge judged the same twice: stop with an error, take one of them, or their mean.",
                rich_help_panel=PANEL,
            ),
        ],
        "error",
    ),
    "format": (
        Annotated[str, _option("NAME", f"Format of JUDGMENTS, where its name does not tell: {_FORMATS}.")],
        _AUTO,
    ),
}
"""The options by their parameters' names, with their annotation and default."""

_ROLES = ("object", "attribute", "value", "worker", "label", "time")


@dataclass(frozen=True, eq=False)
class TableOptions:
    """What the user said about a table, which is looked at when the table is read.

    Attributes
    ----------
    values : mapping
        What was typed, by the parameters' names.
    """

    values: Mapping[str, Any]

    @cached_property
    def read(self) -> ReadOptions:
        """The same as every reader takes it."""
        from manyjudges.tables.reading.options import ReadOptions

        values, columns = self.values, self._columns
        for role in _ROLES:
            if (name := values[role]) is not None:
                if columns.get(role, name) != name:
                    raise PlanError(
                        f"--{role} {name} and --column {role}={columns[role]} name different columns; keep one.",
                        value=name,
                        column=role,
                    )
                columns[role] = name
        named: dict[str, Any] = {role: name or None for role, name in columns.items() if role in _ROLES}
        codes = {name: ",".join(values[name]) for name in ("missing", "valid") if values[name]}
        options = {name: values[name] for name in ("shape", "on_invalid", "repeated", "format")}
        return ReadOptions.of(**named, **codes, **options, drop=values["drop"], scales=values["scale"])

    @property
    def label_object(self) -> str:
        """The column of the table of labels that names the object; ``"auto"`` where it is to be found."""
        return self._columns.get("label-object", _AUTO)

    @property
    def invalid_out(self) -> Path | None:
        """Where to list the rows that were skipped."""
        path: Path | None = self.values["invalid_out"]
        return path

    @property
    def typed(self) -> list[str]:
        """The options as they were typed, without those about labels and invalid rows, to be repeated in advice."""
        return _typed(self.values, labels=False)

    @property
    def typed_with_labels(self) -> list[str]:
        """The same with those about labels."""
        return _typed(self.values, labels=True)

    def check(self) -> None:
        """Refuse what makes no sense or cannot be written, before anything takes time."""
        from manyjudges.cli import inputs

        _ = self.read
        inputs.check_target(self.invalid_out, table=True)

    @property
    def _columns(self) -> dict[str, str]:
        return columns_of(self.values["column"])


def _typed(values: Mapping[str, Any], *, labels: bool) -> list[str]:
    """The options as they were typed, without that of the file of invalid rows, and perhaps without those of labels."""
    parts, left_out = [], ["invalid_out"] + ["label"] * (not labels)
    for name, (_, default) in SHARED.items():
        if name in left_out or values[name] in (default, None):
            continue
        every = values[name] if isinstance(values[name], list) else [values[name]]
        kept = [text for text in every if labels or not (name == "column" and text.startswith("label"))]
        parts += [part for text in kept for part in (f"--{name.replace('_', '-')}", str(text))]
    return parts


class PanelledCommand(TyperCommand):
    """A command whose help has a section for each panel of its options."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The options, and the arguments as they are called."""
        arguments = [each for each in self.get_params(ctx) if each.param_type_name == "argument"]
        return [self.options_metavar or "", *(_called(each) for each in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, the command's own options, and then panel by panel those it shares with others."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                argument = parameter.param_type_name == "argument"
                record = (_called(parameter), record[1]) if argument else record
                usual = "Arguments" if argument else "Options"
                sections.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _called(argument: Any) -> str:
    """What an argument is called in the help, in brackets where it may be left out."""
    name = str(argument.metavar or argument.name.upper())
    return name if argument.required else f"[{name}]"


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all options of ``SHARED``; what was typed is handed to its parameter ``reading``.

    Register it with ``cls=PanelledCommand``, so that its help shows them apart.
    """
    own = inspect.signature(command, eval_str=True)
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in own.parameters.values()
        if parameter.name != "reading"
    ]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in SHARED.items()
    ]

    @functools.wraps(command)
    def with_reading(**values: Any) -> None:
        reading = TableOptions({name: values.pop(name) for name in SHARED})
        command(**values, reading=reading)

    every = [*parameters, *shared]
    with_reading.__signature__ = own.replace(parameters=every)  # type: ignore[attr-defined]
    with_reading.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
    return with_reading
