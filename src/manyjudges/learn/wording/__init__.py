"""Wording: what answers come to, in plain words.

``sentences`` says what to buy and what error to expect, ``decisions`` how that was decided. Used by ``learn.answers``,
and by rooms that show answers.
"""
