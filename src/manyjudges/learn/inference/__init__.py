"""Inference: what the objects at hand say about objects that nobody has judged yet.

``fold_sums`` divides a table into parts, once. ``cross_validation`` plans and fits on some of them and takes the loss
(``learn.labels``) on the others; ``held_out_predictions`` predicts them one by one. ``calibration`` turns what
moments promise into what held-out objects confirm.
"""
