"""Memory ends and the program goes on: it catches the MemoryError, lets go of what it held and finishes.

Argument 1: limit (RLIMIT_AS), torch (the same, told by an error of torch) or probe (a request far beyond all held)."""

import resource
import sys

mode = sys.argv[1]


def fill(make, error):
    kept = []
    try:
        while True:
            kept.append(make())
    except error:
        count = len(kept)
        for i in range(100):  # bytecodes, while it is still held
            count += 0 * i
    return count > 10


def probe():
    held = [bytearray(1 << 20) for _ in range(8)]
    for _ in range(50):
        try:
            bytearray(1 << 46)
        except MemoryError:
            pass
    return len(held) == 8


def set_limit():
    used = int(open("/proc/self/statm").read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + (150 << 20), resource.RLIM_INFINITY))


if mode == "limit":
    set_limit()
    print(fill(lambda: bytearray(4 << 20), MemoryError))
elif mode == "torch":
    import torch

    torch.zeros(1)
    set_limit()
    print(fill(lambda: torch.zeros(1 << 20), RuntimeError))
elif mode == "probe":
    print(probe())
print("fine")
