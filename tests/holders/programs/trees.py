"""Parsed documents in an attribute of a reader."""

import sys

from lxml import etree

CLEAN = "clean" in sys.argv
PAGE = "<page>" + "<row name='a'>text of a row</row>" * 400 + "</page>"


class Reader:
    def __init__(self):
        self.pages = []

    def read(self, number):
        page = etree.fromstring(PAGE)  # made
        if not CLEAN:
            self.pages.append(page)  # kept
        return len(page)


def main():
    reader = Reader()
    print("rows", sum(reader.read(number) for number in range(300)))


main()
