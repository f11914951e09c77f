"""Samples by sensor in a defaultdict of lists."""

import collections
import sys

CLEAN = "clean" in sys.argv


class Collector:
    def __init__(self):
        self.by_sensor = collections.defaultdict(list)

    def add(self, number):
        sample = bytearray(200_000)  # made
        if CLEAN:
            self.by_sensor[number % 5].clear()
        self.by_sensor[number % 5].append(sample)  # kept
        return sum(range(20_000))


def main():
    collector = Collector()
    print("work", sum(collector.add(number) for number in range(300)))


main()
