"""Languages: the words in which people answer, one module each.

To add a language, copy ``english`` and enter it in ``LANGUAGES`` in ``tables/answers/words.py``.
"""
