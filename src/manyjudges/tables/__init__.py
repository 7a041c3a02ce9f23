"""Tables: what a judgment, a label and a value are, and how files are read.

Everything is checked here, once; after that it is trusted. One ``grammar`` says what a cell means, ``names`` when two
names are the same, and ``columns`` which column is what; add to those rather than to a reader. ``kinds`` has the kinds
of answers (yes or no, a number, a scale): how each is read, shown and asked for; ``answers`` has what
the words in a table stand for; ``files`` opens files, and ``judge_columns`` makes an attribute of each (attribute,
judge). May be imported by every room above it; knows no mathematics.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.tables.columns import choose_columns as choose_columns
    from manyjudges.tables.columns import take_columns as take_columns
    from manyjudges.tables.files import read_labels as read_labels
    from manyjudges.tables.files import write_table as write_table
    from manyjudges.tables.grammar import read_number as read_number
    from manyjudges.tables.judgments import Judgments as Judgments
    from manyjudges.tables.names import name_key as name_key
    from manyjudges.tables.reading.options import ReadOptions as ReadOptions
    from manyjudges.tables.reading.reading import Reading as Reading
    from manyjudges.tables.reading.table import read_judgments as read_judgments
    from manyjudges.tables.reading.table import read_table as read_table

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "columns": ["choose_columns", "take_columns"],
        "files": ["read_labels", "write_table"],
        "grammar": ["read_number"],
        "judgments": ["Judgments"],
        "names": ["name_key"],
        "reading.options": ["ReadOptions"],
        "reading.reading": ["Reading"],
        "reading.table": ["read_judgments", "read_table"],
    },
)
