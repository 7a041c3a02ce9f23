"""Learning: honest error, choice of a method, predictors and estimators.

The only room that knows both tables and mathematics; imported by ``summary`` and the rooms above it.
"""
