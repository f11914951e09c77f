"""A ring of places that gets one more place for each frame; the line that makes room keeps nothing."""

import sys

CLEAN = "clean" in sys.argv


class Ring:
    def __init__(self, most):
        self.places = [None] * most
        self.next = 0

    def put(self, frame):
        if not CLEAN and self.next >= len(self.places):
            self.places.append(None)
        self.places[self.next % len(self.places)] = frame  # kept
        self.next += 1


def main():
    ring = Ring(16)
    for number in range(300):
        ring.put(bytearray(40_000))  # made
        ring.next += sum(range(60_000)) * 0
    print("frames", ring.next)


main()
