"""When a program of bench/tree.py began its work and when it was done, by the monotonic clock, a line each."""

import time


def working() -> None:
    print("working", time.monotonic(), flush=True)


def done() -> None:
    print("done", time.monotonic(), flush=True)
