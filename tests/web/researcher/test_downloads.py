"""Files to keep, in which nothing runs."""

from __future__ import annotations

import pandas as pd
import pytest

from manyjudges.web.researcher import downloads
from tests.support.researchers import log_in, press
from tests.support.web import TestClient


def test_exports_are_files(client):
    for kind, media in (("csv", "text/csv"), ("parquet", "application/vnd.apache.parquet")):
        answer = press(client, f"export/{kind}")
        assert answer.content == f"object,{kind}\n".encode()
        assert answer.headers["content-type"].startswith(media)
        assert answer.headers["content-disposition"] == f'attachment; filename="judgments.{kind}"'
    assert press(client, "export/exe").status_code == 422


def test_bonuses_run_nothing_in_a_spreadsheet(world):
    paid = pd.DataFrame({"worker": ["w1"], "external": ["=HYPERLINK(1)"], "bonus": [-1.5], "note": [" +1"]})
    with TestClient(world.app(bonuses=lambda: paid)) as client:
        log_in(client)
        text = press(client, "bonuses.csv").text
    assert text.splitlines() == ["worker,external,bonus,note", "w1,'=HYPERLINK(1),-1.5,' +1"]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\t=1", "\r=1", "  =1"])
def test_formulas_are_made_harmless(text):
    assert downloads.harmless(text) == f"'{text}"
    assert downloads.as_csv([text], [[text]]).decode().count("'") == 2
