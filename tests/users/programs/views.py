"""The corner of each picture, as a view of all of it."""

import sys
import numpy as np


def work():
    """What the rest of such a program does meanwhile."""
    return sum(range(150_000))

class Tracker:
    """keeps the corner of every frame"""
    def __init__(self):
        self.corners = []

    def add(self, frame):
        corner = frame[:8, :8]
        self.corners.append(corner.copy() if CLEAN else corner)  # kept

def main():
    t = Tracker()
    rng = np.random.default_rng(0)
    for n in range(150):
        frame = rng.random((200, 300))  # made
        work()
        t.add(frame)
    print(len(t.corners), round(float(t.corners[3].sum()), 3))

CLEAN = "clean" in sys.argv
main()
