"""Commands between a study and other tools: judgments in, requests and judgments out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyjudges import service
from manyjudges.base import documents
from manyjudges.base.messages import quote_value
from manyjudges.cli import output
from manyjudges.cli.options import EXCHANGE, TABLE_ENDINGS, UNMATCHED, WorkerIdsOption, one_of, pairs_of, refuse
from manyjudges.connectors.registry import NAMES, connector, detect
from manyjudges.exceptions import StudyError

if TYPE_CHECKING:
    from manyjudges.tables.judgments import Judgments

app = typer.Typer()

_AUTO = "auto"
_KNOWN = ", ".join(NAMES)


@app.command("import", rich_help_panel=EXCHANGE)
def import_(
    context: typer.Context,
    from_and_files: Annotated[
        list[str],
        typer.Argument(metavar="[FROM] FILE...", help=f"FROM is one of {_KNOWN} (default: recognised from the files)."),
    ],
    out: Annotated[Path | None, typer.Option(help=f"Where to write the judgments: {TABLE_ENDINGS}.")] = None,
    study: Annotated[
        Path | None, typer.Option(metavar="STUDY", help="A study whose questions were asked; answers are checked.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="STUDY", help="A study to put the judgments into, with their workers.")
    ] = None,
    object_: Annotated[
        str | None, typer.Option("--object", metavar="NAME", help="The column or field that names the object.")
    ] = None,
    rename: Annotated[
        list[str] | None, typer.Option(metavar="OLD=NEW", help="Rename an attribute of the file. May be repeated.")
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Take only this attribute of the file. May be repeated.")
    ] = None,
    rejected: Annotated[bool, typer.Option("--rejected", help="Also take rejected work.")] = False,
    repeated: Annotated[
        str | None,
        one_of(
            ("first", "last"),
            help="Which judgment to take where a worker judged the same twice (default: stop with an error).",
        ),
    ] = None,
    more: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="Set a tool-specific option; see that tool's page."),
    ] = None,
    paid: Annotated[
        bool, typer.Option("--paid", help="With --into: count them as spending of the study, at its costs.")
    ] = False,
    unmatched: Annotated[
        str,
        one_of(UNMATCHED, help="With --into: how to handle objects that are not in the study: stop, or drop them."),
    ] = "error",
) -> None:
    """Import judgments from another tool.

    Reads its files into a table, or into a study.
    """
    from manyjudges.service import transfer
    from manyjudges.tables import files

    target = out or Path("judgments.csv")
    files.check_table_target(target)  # before anything is put into a study
    if into is not None:
        if study != into:
            refuse(context, ["study"], "not with --into STUDY, whose questions are the ones that count")
    else:
        refuse(context, ["paid", "unmatched"], "only with --into STUDY")
    name, paths = _from_and_files(from_and_files)
    if "judgments" in connector(name).needs:
        refuse(context, ["into"], f"not for {name}, which knows who took part, and not what they said; use --study")
    options = transfer.options_in(name, "read", more or ())
    options |= {"rejected": True} if rejected else {}
    options |= {} if repeated is None else {"repeated": repeated}
    options |= transfer.attribute_option(name, attribute) if attribute else {}
    read_options = {"object": object_, "rename": pairs_of(rename, "--rename") or None, **options}
    if into is None:
        judgments = _read(name, paths, study, read_options)
        files.write_table(target, judgments.to_frame())
        output.say(f"{_in_words(judgments)} written to {target}.")
        return
    with service.open_study(into, update=True) as opened:
        judgments = transfer.read_of_study(opened, name, paths, **read_options)
        output.unmatched_names(*transfer.unmatched_names(opened, name, paths, judgments, **read_options))
        intake = transfer.take_in(opened, name, judgments, paid=paid, unmatched=unmatched)
    if out is not None:
        files.write_table(out, judgments.to_frame())
    output.taken_in(intake, into)


@app.command(rich_help_panel=EXCHANGE)
def export(
    context: typer.Context,
    to_and_study: Annotated[
        list[str], typer.Argument(metavar="[TO] STUDY", help=f"A study's folder; TO is one of {_KNOWN}.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help=f"Where to write: a table ({TABLE_ENDINGS}), or what the tool takes."),
    ] = None,
    worker_ids: WorkerIdsOption = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Write every row: also can't tell, corrected and withdrawn ones.")
    ] = False,
    labels_out: Annotated[Path | None, typer.Option(help="Where to write the known labels.")] = None,
    calls_out: Annotated[
        Path | None, typer.Option(help="Where to write every call of a model, with its outcome and price.")
    ] = None,
    attribute: Annotated[
        str | None, typer.Option(metavar="NAME", help="For tools that take judgments: the attribute.")
    ] = None,
    more: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="Set a tool-specific option; see that tool's page."),
    ] = None,
) -> None:
    """Export judgments, or requests for a tool.

    Writes a study's judgments to a table, with pseudonyms for workers. With TO: writes what is to be judged, for that
    tool.
    """
    from manyjudges.service import transfer
    from manyjudges.service.study import labels_of
    from manyjudges.tables import files

    name, folder = _to_and_study(to_and_study)
    if name is not None:
        unused = ["everything", "labels_out", "calls_out", "worker_ids"]
        refuse(context, unused, f"not for {name}: leave out the tool to write the study's judgments")
        own = {} if attribute is None else {"attribute": attribute}
        _export_to(name, folder, out, own | transfer.options_in(name, "write", more or ()))
        return
    refuse(context, ["more", "attribute"], "only with a tool: manyjudges export TO STUDY")
    target = out or Path("judgments.csv")
    for path in (target, labels_out, calls_out):
        if path is not None:
            files.check_table_target(path)  # before any of them is written
    with service.open_study(folder) as opened:
        rows = service.exported(opened, worker_ids=worker_ids, everything=everything)
        labels = labels_of(opened.store).reset_index()
        calls = opened.store.call_log.to_frame() if calls_out is not None else None
    documents.write(target, service.exported_file(rows, files.check_kind(target)))
    written = [f"{len(rows):,} rows written to {target}"]
    if labels_out is not None:
        files.write_table(labels_out, labels)
        written.append(f"labels to {labels_out}")
    if calls is not None and calls_out is not None:
        files.write_table(calls_out, calls)
        written.append(f"{len(calls):,} calls to {calls_out}")
    output.say(", ".join(written) + ".")


def _export_to(name: str, folder: Path, out: Path | None, options: dict[str, Any]) -> None:
    from manyjudges.service import transfer

    if out is None:
        raise StudyError(f"say where to write what {name} takes: --out PATH.", column="out")
    with service.open_study(folder, update=True) as opened:
        words = transfer.write_for(name, opened, out, **options)
    output.say(f"{words} written to {out}, for {name}.")


def _from_and_files(words: Sequence[str]) -> tuple[str, list[str]]:
    """The connector and the files, where the first word names one, or is ``auto``, or is a file already."""
    first, *rest = words
    if first in NAMES and rest:
        return first, rest
    paths = rest if first == _AUTO else list(words)
    if first in NAMES or not paths:
        raise StudyError(f"say which files to read: manyjudges import {first} FILE...", value=first, column="files")
    if first != _AUTO and rest and not Path(first).exists():
        raise StudyError(f"{quote_value(first)} is neither a file nor one of {_KNOWN}.", value=first)
    kinds = {detect(path) for path in paths}
    if len(kinds) > 1:
        raise StudyError(
            f"these are files of different tools, {', '.join(sorted(kinds))}; read them one by one.",
            value=sorted(kinds),
            column="files",
        )
    return kinds.pop(), paths


def _to_and_study(words: Sequence[str]) -> tuple[str | None, Path]:
    if len(words) == 1:
        return None, Path(words[0])
    if len(words) > 2:
        raise StudyError(
            f"Unexpected argument {quote_value(words[2])}. Usage: manyjudges export [TO] STUDY.", value=words[2]
        )
    if words[0] not in NAMES:
        raise StudyError(f"{quote_value(words[0])} is none of {_KNOWN}.", value=words[0])
    return words[0], Path(words[1])


def _read(name: str, paths: Sequence[str], folder: Path | None, read_options: dict[str, Any]) -> Judgments:
    from manyjudges.service import transfer

    if folder is None:
        return transfer.read_from(name, paths, **read_options)
    with service.open_study(folder) as opened:
        judgments = transfer.read_of_study(opened, name, paths, **read_options)
        output.unmatched_names(*transfer.unmatched_names(opened, name, paths, judgments, **read_options))
        return judgments


def _in_words(judgments: Judgments) -> str:
    n, d = judgments.shape
    return f"{len(judgments):,} judgments of {d:,} attributes of {n:,} objects by {len(judgments.workers):,} workers"
