"""The store: everything that a study keeps, in SQLite or PostgreSQL. SQL lives here and nowhere else.

A method of ``Store`` is one transaction; the work is done by functions of a connection in the other modules.
"""
