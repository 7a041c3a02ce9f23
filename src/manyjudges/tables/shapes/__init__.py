"""Shapes: the ways in which people lay out a table of judgments, one module each behind one registry.

A shape decides from the headings and the first rows which column is what, and says so in a ``Layout``; ``registry``
tries the shapes in order and turns a table into long rows, one for each judgment. ``sample`` is what a shape sees,
``looks`` and ``headings`` say what a column holds, and ``survey`` is what the survey tools share. To add a shape, write
a module with a ``SHAPE`` and enter it into ``registry.SHAPES``. Knows no numbers: cells stay as they are.
"""
