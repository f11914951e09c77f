"""Memory ends and the program goes on: it catches the MemoryError, lets go of what it held and finishes.

Argument 1: limit (RLIMIT_AS) or probe (a request far beyond everything held)."""

import resource
import sys

mode = sys.argv[1]


def fill():
    kept = []
    try:
        while True:
            kept.append(bytearray(4 << 20))
    except MemoryError:
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


if mode == "limit":
    used = int(open("/proc/self/statm").read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + (150 << 20), resource.RLIM_INFINITY))
    print(fill())
elif mode == "probe":
    print(probe())
print("fine")
