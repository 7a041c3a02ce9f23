"""Which texts name a database; every way of getting one wrong is in the tests of a study's file and of dialects."""

from __future__ import annotations

import pytest

from manyjudges.base.database_addresses import FORMS, PATTERNS, address_form, file_address, file_of
from tests.support.messages import refused, said


def test_what_the_forms_say_fits_together():
    assert len({form.dialect for form in FORMS}) == len(FORMS)
    for form in FORMS:
        assert form.pattern in PATTERNS
        assert form.pattern.startswith(form.prefix)
        assert address_form(form.pattern.replace("FILE", "a.db").replace("HOST", "host")) is form


@pytest.mark.parametrize("scheme", [scheme for form in FORMS for scheme in form.schemes])
def test_who_means_a_database_is_told_how_to_write_it(scheme):
    with refused(ValueError) as caught:
        address_form(f"{scheme}+other://host/x")
    form = next(form for form in FORMS if scheme in form.schemes)
    assert form.correction.split("{", maxsplit=1)[0] in said(caught.value)


def test_a_file_and_its_address():
    assert file_of(file_address("/srv/a.db")) == "/srv/a.db"
    assert address_form(file_address("a.db")).dialect == "sqlite"
    assert file_of("postgresql+psycopg://host/x") is None
