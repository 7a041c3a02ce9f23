"""Pages of HTML, read as a browser would."""

from __future__ import annotations

from html.parser import HTMLParser

EMPTY = {"meta", "link", "br", "img", "input", "hr"}
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
"""A name that tries to break a page."""


class Page(HTMLParser):
    """What is on a page: tags with their attributes, text by tag, and whether all that opens closes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.text.setdefault(self.open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]
