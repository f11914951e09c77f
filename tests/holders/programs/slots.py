"""Records without a __dict__ in a list of an object without a __dict__."""

import sys

CLEAN = "clean" in sys.argv


class Sample:
    __slots__ = ("number", "pixels")

    def __init__(self, number):
        self.number = number
        self.pixels = bytearray(200_000)  # made


class Album:
    __slots__ = ("samples",)

    def __init__(self):
        self.samples = []

    def take(self, number):
        sample = Sample(number)
        if not CLEAN:
            self.samples.append(sample)  # kept
        return len(sample.pixels) + sum(range(20_000))


def main():
    album = Album()
    print("work", sum(album.take(number) for number in range(300)))


main()
