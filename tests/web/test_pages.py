"""Pages: what they make of texts that a researcher wrote, and the files that they link to."""

from __future__ import annotations

import re

from manyjudges.web.pages import asset, contact
from tests.support.web import client, make_study, opened


def test_what_is_no_address_is_no_link_with_more_in_it():
    for odd in ("a@b.org?cc=c@d.org", 'x"onclick=1@b.org', "<b>@b.org", "Room 5, ask for Ann"):
        shown = contact(odd)
        assert "?" not in (re.findall(r'href="([^"]*)"', shown) or [""])[0]
        assert not re.search(r"<b>|onclick=1", shown.replace("&#34;onclick", ""))


def test_styles_and_scripts_are_kept_for_ever_under_an_address_that_changes_with_them(tmp_path):
    with opened(make_study(tmp_path, n=1)) as app:
        visitor = client(app)
        linked = set(re.findall(r'"(/assets/[^"]+)"', visitor.get("/").text))
        assert linked
        for address in linked:
            answer = visitor.get(address)
            assert answer.status_code == 200
            assert "immutable" in answer.headers["cache-control"]
            assert address == asset(address.split("/")[2].split("?")[0])
        for name in ("nothing.css", "layout.html.jinja", "..%2fpages.py"):
            assert visitor.get(f"/assets/{name}").status_code == 404
