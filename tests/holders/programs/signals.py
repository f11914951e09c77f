"""Widgets connect to a signal of blinker, which holds them strongly."""

import sys

from blinker import Signal

CLEAN = "clean" in sys.argv
changed = Signal("changed")


class Widget:
    def __init__(self, number):
        self.number = number
        self.pixels = bytearray(200_000)  # made
        changed.connect(self.on_change, weak=False)  # kept

    def on_change(self, sender):
        return self.number


def main():
    work = 0
    for number in range(300):
        widget = Widget(number)
        work += len(widget.pixels) + sum(range(20_000))
        if CLEAN:
            changed.disconnect(widget.on_change)
    print("work", work)


main()
