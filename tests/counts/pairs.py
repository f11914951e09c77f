"""DEPTH ROUNDS: so many blocks of 70 KB, each made and freed before the next, below DEPTH frames."""

import sys

depth, rounds = int(sys.argv[1]), int(sys.argv[2])


def below(frames):
    if frames > 0:
        return below(frames - 1)
    for _ in range(rounds):
        bytearray(70_000)


below(depth - 2)
