"""The method: moments of judgments, the objective, and plans. Arrays in, frozen results out.

Knows no tables: what it needs of one it states as a protocol. A line with a sum over objects or a solve belongs here; a
loop until a budget is spent belongs to ``core.search``.
"""
