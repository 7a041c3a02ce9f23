"""Base: what several rooms need and none of them owns.

What lives here has three users or more in different rooms, and knows no judgment, no plan and no study. It imports
nothing of the package but :mod:`manyjudges.exceptions`; every other room may import it.
"""
