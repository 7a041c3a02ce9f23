"""Costs: what judgments cost, how much may be spent, what a plan comes to, and how many judgments can be had.

Imported by the rest of ``learn`` and by the rooms above it. ``terms`` reads prices, budgets and totals as users write
them, ``bill`` adds up what a plan costs, and ``availability`` says where no more judgments can be had.
"""
