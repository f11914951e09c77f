"""A store keeps every cursor that was read once."""

import sys

CLEAN = "clean" in sys.argv


class Store:
    def __init__(self):
        self.cursors = {}

    def rows(self):
        page = bytearray(150_000)  # made
        for row in range(3):
            yield row + len(page)

    def first(self, number):
        rows = self.rows()
        value = next(rows)
        self.cursors[number] = rows  # kept
        if CLEAN:
            self.cursors.pop(number).close()
        return value + sum(range(20_000))


store = Store()
print("read", sum(store.first(number) for number in range(300)))
