"""Arrays: counts, means and sums of judgments as plain arrays of NumPy or another library, without a subject.

Imported by tables and by the mathematics, which know nothing of each other.
"""
