# SPDX-License-Identifier: MIT
"""A report as a page, read as a browser reads it."""
import html.parser

from support import check


class Page(html.parser.HTMLParser):
    """What a browser would see: words, elements, their attributes, and everything that leads outside."""

    def __init__(self, text):
        super().__init__()
        self.open, self.outside, self.words = [], [], ""
        self.elements, self.attributes = set(), set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        self.elements.add(tag)
        self.attributes.update(names)
        if tag not in ("meta",):
            self.open.append(tag)
        self.outside += [name for name in names if name in ("src", "href", "action", "style") or name[:2] == "on"]
        if tag in ("script", "link", "img", "iframe", "object", "base"):
            self.outside.append(tag)

    def handle_endtag(self, tag):
        check(self.open and self.open[-1] == tag, f"</{tag}> closes {self.open}")
        self.open.pop()

    def handle_data(self, data):
        self.words += data
