"""Tasks: what the worker does for the page. Each calls what reads, plans and predicts, and tells it as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from manyjudges.app.choices import Choices, Money
from manyjudges.app.work import answers, readings
from manyjudges.base import documents
from manyjudges.base.formatting import number
from manyjudges.base.progress import Progress
from manyjudges.base.results import on_one_line
from manyjudges.core.plan import Plan
from manyjudges.learn.answering import answer_for
from manyjudges.learn.fitting import fit
from manyjudges.learn.inference.cross_validation import fewest_objects
from manyjudges.learn.object_tables import ObjectTable
from manyjudges.learn.predictor import Predictor, predictions_in
from manyjudges.reports import Report
from manyjudges.scan.options import ScanOptions
from manyjudges.summary import Summary
from manyjudges.summary.overall import summarize_data
from manyjudges.tables.files import write_table
from manyjudges.tables.reading.labels import without_label
from manyjudges.tables.reading.object_names import read_object_names

_ROWS_SHOWN = 8
_FOLDS = 5


class Desk:
    """The tasks by name, and the table that was read last, so that it is not read again for each of them.

    Parameters
    ----------
    folder : Path
        Where files for the user are written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tasks: Mapping[str, Callable[..., dict[str, Any]]] = {
            "look": self.look,
            "plan": self.plan,
            "write": self.write,
            "predict": self.predict,
        }
        self._summary: Summary | None = None
        self._kept: tuple[Any, readings.TableLook] | None = None

    def do(self, task: str, options: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """Do a task."""
        progress(0, 0)  # it may have been cancelled while it waited
        return self._tasks[task](progress=progress, **options)

    def look(
        self, files: list[str], label_files: list[str], choices: Mapping[str, Any], progress: Progress
    ) -> dict[str, Any]:
        """What was recognised in a table, its first rows, and what the user is asked about it."""
        chosen = Choices.from_document(choices)
        return readings.look_document(self._table(files, label_files, chosen), files, chosen)

    def plan(
        self,
        files: list[str],
        label_files: list[str],
        choices: Mapping[str, Any],
        money: Mapping[str, Any],
        progress: Progress,
        budgets: list[float] | None = None,
    ) -> dict[str, Any]:
        """What to buy, what error to expect of it, and the error at other budgets, which may be named."""
        table = self._checked(files, label_files, choices)
        data, paid = table.data, Money(**money)
        terms, limits = answers.terms_of(paid, data.attributes), answers.limits_of(paid)
        few = data.n_objects < fewest_objects(_FOLDS)  # to estimate any error, so that there is no curve, either
        title = Path(files[0]).name
        how: dict[str, Any] = {"max_repeats": limits, "cv": _FOLDS, "progress": progress}
        self._summary = None if few else summarize_data(data, terms, budgets=budgets, title=title, **how)
        answer = answer_for(data, terms, **how) if self._summary is None else self._summary.answer
        plan = answer.plan.with_answers(table.answers).with_currency(terms.currency)
        documents.write(self._made("plan.json"), plan.to_json())
        return answers.answer_document(answer, None if self._summary is None else self._summary.curve)

    def write(
        self, files: list[str], label_files: list[str], choices: Mapping[str, Any], progress: Progress
    ) -> dict[str, Any]:
        """The files to download: the report, the list of what to collect, and the predictor."""
        table, plan = self._checked(files, label_files, choices), self._plan()
        write_table(self._made("tobuy.csv"), table.lacking(plan))
        progress(1, 3)
        documents.write(self._made("model.json"), fit(plan, table.data).to_json())
        progress(2, 3)
        report = self._made("report.html")
        report.unlink(missing_ok=True)
        if self._summary is not None:
            Report.from_summary(self._summary).save(report)
        return {}

    def predict(
        self,
        files: list[str],
        label_files: list[str],
        choices: Mapping[str, Any],
        new: list[str],
        progress: Progress,
    ) -> dict[str, Any]:
        """Predictions for the objects of another table, which is read in the same way; of mere names, what to ask."""
        model = Predictor.from_json(self._made("model.json").read_text(encoding="utf-8"))
        options = without_label(new, Choices.from_document(choices).read_options())
        if len(new) == 1 and (listed := read_object_names(new[0], options, attributes=model.plan.attributes)):
            lacking = model.plan.missing(listed.names)
            write_table(self._made("tobuy-new.csv"), lacking)
            first = lacking.head(_ROWS_SHOWN)[["object", "attribute", "count"]]
            rows = [[str(cell) for cell in row] for row in first.to_numpy(dtype=object)]
            count = len(set(listed.names.tolist()))
            return {"file": "tobuy-new.csv", "count": count, "rows": rows, "more": len(lacking) > len(rows)}
        table = ObjectTable(new, ScanOptions(options), model.plan)
        predicted = predictions_in(table, model)
        write_table(self._made("predictions.csv"), predicted)
        shown = predicted.head(_ROWS_SHOWN).to_dict(orient="records")
        rows = [[str(row["object"]), number(row["prediction"], 4), number(row["std"])] for row in shown]
        told: dict[str, Any] = {"rows": rows, "warnings": [on_one_line(warning.message) for warning in table.warnings]}
        return {"file": "predictions.csv", "count": len(predicted), "more": len(predicted) > len(rows), **told}

    def _checked(self, files: list[str], label_files: list[str], choices: Mapping[str, Any]) -> readings.CheckedTable:
        return self._table(files, label_files, Choices.from_document(choices)).checked

    def _made(self, name: str) -> Path:
        folder = self.folder / "made"
        folder.mkdir(exist_ok=True)
        return folder / name

    def _plan(self) -> Plan:
        return Plan.from_json(self._made("plan.json").read_text(encoding="utf-8"))

    def _table(self, files: list[str], label_files: list[str], choices: Choices) -> readings.TableLook:
        """The table, which is read again only where the files or what was said about them has changed."""
        key = (tuple(files), tuple(label_files), choices)
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, readings.look_at_table(files, label_files, choices))
        return self._kept[1]
