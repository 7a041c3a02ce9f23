"""Judges: who judges how, and how far judges agree.

Dependence between workers, panels of models, reliability, agreement. Knows tables and sums; imports no learning, and is
imported by ``learn`` and every room above it.
"""
