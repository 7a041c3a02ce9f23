"""Kinds of labels: what a prediction of each kind loses, one module a kind.

``number`` is the only kind so far. A kind that comes later (classes, ordered classes) says here how its labels become
columns of numbers and what its honest loss is, in the way of ``number.held_out_losses``.
"""
