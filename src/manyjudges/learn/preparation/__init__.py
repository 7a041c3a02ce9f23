"""Preparation: what is done to judgments before they are averaged, chosen by held-out error and guarded by it.

``rescaling`` (roots and logarithms of skewed ratings), ``preparation`` (what was decided, applied to judgments) and
``trials`` (what is tried, and what is kept). Workers' effects are estimated in ``judges.worker_effects``, and joint
moments in ``core.joint``. Used by whatever in ``learn`` answers, plans or predicts.
"""
