"""Sections: the parts of a report, one module each, in the order of ``registry.SECTIONS``.

Used by ``reports.page`` alone. To add one, copy ``attributes.py``: what it shows as plain values, its figures with what
they say, and a ``SECTION`` that names its template in ``templates/sections``; then enter ``SECTION`` in the registry.
``tests/laws/test_report_sections.py`` holds every section to the same law.
"""
