"""Scans: sums over tables that need not fit into memory, by DuckDB, by dask, or in parts by anyone else.

Whatever has ``ORDER BY`` for a table of judgments lives here. What comes out are the same sums that tables
in memory give. Imported by ``learn`` and the rooms above it.
"""
