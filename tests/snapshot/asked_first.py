"""Asks for a snapshot, then grows so far that more are taken than are kept, and asks again."""

import time

import tenure

tenure.snapshot()
kept = []
for doubling in range(8):
    kept += [bytes(1 << 20) for _ in range(4 << doubling)]
    time.sleep(0.2)  # one at a time
tenure.snapshot()
print("fine")
