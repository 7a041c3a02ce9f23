"""Tables: judgments read from files, frames or columns, whatever their shape."""

from __future__ import annotations

__all__ = ["read_judgments", "read_table"]

from typing import Any

from manyjudges.tables.judgments import Judgments
from manyjudges.tables.reading.cells import read_cells
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import TableRead


def read_table(source: Any, options: ReadOptions | None = None, **more: Any) -> TableRead:
    """Read a table of judgments, and its labels where it has a column of them.

    Parameters
    ----------
    source : path, list of paths, frame or mapping
        A file in any format of ``tables.formats``, a folder, a pattern, or ``"-"`` for standard input; a frame of
        pandas, polars, pyarrow or DuckDB; or a dict with an array for each column.
    options : ReadOptions, optional
    **more
        The options by name instead, as for :func:`read_judgments`.

    Returns
    -------
    TableRead
        The ``judgments``, the ``labels`` or None, the ``reading``, which says what was recognised as what, and the
        rows that were skipped as ``invalid``.

    Examples
    --------
    >>> table = {"Rater": ["ann", "bob"], "Essay": ["e1", "e1"], "clear": ["yes", "no"], "Grade": [76, 76]}
    >>> read = read_table(table, label="Grade")
    >>> for line in read.reading.lines():
    ...     print(line)
    wide by rater: object = 'Essay', worker = 'Rater', label = 'Grade', 1 question ('clear')
    answers for 'clear': no = 0, yes = 1
    >>> read.labels.to_dict(), len(read.judgments)
    ({'e1': 76.0}, 2)
    """
    if options is None:
        options = ReadOptions.of(**more)
    read = read_cells(source, options)
    return TableRead(Judgments.of_cells(read), read.labels, read.reading, read.cells.invalid, read.cells.unjudged)


def read_judgments(path: Any, **options: Any) -> Judgments:
    r"""Read judgments from a file, whatever its format and shape.

    Parameters
    ----------
    path : path, or list of paths
        CSV, TSV, Excel, OpenDocument, SPSS, Stata, Parquet, Arrow, JSON or JSON lines, perhaps compressed (``.gz``); a
        pattern such as ``"data/part-*.csv"``, or a folder, for several files of the same columns; ``"-"`` for standard
        input. A frame or a dict of arrays is taken, too.
    object, attribute, value, worker, label, time : str
        Names of the columns. Usual names (item, task; question, feature; rating, score; rater, annotator) are
        understood without. ``worker=None`` ignores the workers. A column named as the label or the time is not taken
        for judgments.
    shape : str
        ``"long"`` (a row for each judgment), ``"wide-by-rater"``, ``"wide-by-judgment"``, ``"sheets"``,
        ``"qualtrics"``, ``"sosci"``, ``"google-forms"``, ``"limesurvey"`` or ``"redcap"``. Default: the first that
        fits.
    drop : str or list of str
        Columns or attributes to leave out.
    scales : str, or list of str or of lists
        Scales of words, each from the lowest to the highest: ``"never, rarely, often"``. Usual scales are known.
    missing, valid : str, number or list
        Codes and words that mean "no answer", such as ``[-99, "refused"]``, and those that are real answers although
        they look like such codes. Blank cells, NA, "don't know" and the like are known.
    on_invalid : {"error", "skip"}
        Whether an invalid row (a name is missing, or the value is not an answer) is an error, or skipped and counted in
        ``judgments.skipped``.
    repeated : {"error", "first", "last", "mean"}
        What to do where a worker judged the same twice. The column of times decides which is the first, where there is
        one, and otherwise the order of rows.
    format : str
        Such as ``"csv"``, where the name of the file does not say it.

    Returns
    -------
    Judgments
        Their ``reading`` says what was recognised as what.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,question,rater,score\njar 1,round,ann,yes\njar 1,round,bob,no\n")
    >>> judgments = read_judgments(path)
    >>> for line in judgments.reading.lines():
    ...     print(line)
    read from ratings.csv: object = 'item', attribute = 'question', value = 'score', worker = 'rater'
    answers for 'round': no = 0, yes = 1
    """
    return read_table(path, ReadOptions.of(**options)).judgments
