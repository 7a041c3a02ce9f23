"""Formats: the kinds of files that tables are read from, one module each behind one registry.

``paths`` finds the files that a path names, ``content`` is what every format gives, ``text`` is what formats of text
share. Imported by ``tables.files`` and by ``scan``, which reads the same files in pieces. Knows no judgment.
"""
