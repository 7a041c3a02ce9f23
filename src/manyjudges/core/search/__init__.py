"""Searches for the plan that explains the most, one file each, behind one registry.

A search takes moments and a budget, and knows no table. To add one, write a module beside these and enter it in
``registry``; the laws in ``tests/laws/test_search_laws.py`` then run on it.
"""
