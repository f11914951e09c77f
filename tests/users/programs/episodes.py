"""Episodes of a game as a chain: each new one knows the one before."""

import sys
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

CLEAN = "clean" in sys.argv


@dataclass
class Episode:
    frames: Any
    before: Optional["Episode"]


def work():
    """What the rest of such a program does meanwhile."""
    return sum(range(150_000))


def main():
    last = None
    for n in range(150):
        work()
        frames = np.random.default_rng(n).random((80, 200))  # made
        last = Episode(frames, None if CLEAN else last)  # kept
    print(last.frames.shape)


main()
