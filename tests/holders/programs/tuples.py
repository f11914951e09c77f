"""Named tuples in a dict of a module."""

import sys
from typing import NamedTuple

CLEAN = "clean" in sys.argv


class Reading(NamedTuple):
    number: int
    trace: bytearray


readings = {}


def read(number):
    reading = Reading(number, bytearray(200_000))  # made
    readings[0 if CLEAN else number] = reading  # kept
    return len(reading.trace) + sum(range(20_000))


def main():
    print("work", sum(read(number) for number in range(300)))


main()
