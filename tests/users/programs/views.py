"""The corner of each picture, as a view of all of it."""

import sys
import numpy as np

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
        t.add(frame)
    print(len(t.corners), round(float(t.corners[3].sum()), 3))

CLEAN = "clean" in sys.argv
main()
