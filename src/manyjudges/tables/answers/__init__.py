"""Answers: what the cells of a table stand for, as numbers.

``no_answer`` says which cells are no answers at all, ``recognition`` what the answers to a question are (numbers, two
words, the words of a scale), ``coding`` turns them into numbers, and ``codes`` finds numbers that look like codes for
"no answer". The words are in ``languages``, one module each; ``words`` puts them together.
"""
