"""A descriptor keeps the value of every document, by the document itself."""

import sys

CLEAN = "clean" in sys.argv


class Field:
    def __init__(self):
        self.values = {}

    def __set__(self, document, value):
        self.values[document] = value  # kept

    def __get__(self, document, owner):
        return self.values[document]

    def __delete__(self, document):
        del self.values[document]


class Document:
    body = Field()


def read(number):
    document = Document()
    document.body = bytearray(150_000)  # made
    size = len(document.body)
    if CLEAN:
        del document.body
    return size + sum(range(20_000)) + number


print("read", sum(read(number) for number in range(300)))
