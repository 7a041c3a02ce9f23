"""The scan by DuckDB: judgments brought into the order of their objects, on disk as far as memory does not suffice.

``sources`` lets DuckDB see a table, by itself (``files``) or row by row; ``answers`` decides what its texts stand for;
``queries`` asks; ``scan`` sums up, and ``objects`` gives the judgments themselves. Imported by ``scan.readers`` and
``scan.objects`` alone.
"""
