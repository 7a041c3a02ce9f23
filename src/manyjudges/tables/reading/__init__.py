"""Reading: from whatever holds judgments to checked judgments, and a record of what was understood.

``table.read_table`` is the one way in: it opens files and frames (``sources``), has ``tables.shapes`` say which column
is what, has ``tables.answers`` say what the answers stand for (``coding``), settles repeated judgments (``repeats``),
and returns the judgments with their ``Reading``. ``options.ReadOptions`` holds all that a user can say about a table,
under the names that Python, the command line and the app share.
"""
