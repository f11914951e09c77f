"""Holds memory in one of several ways, says its resident memory and waits until the supervisor has looked at it.

usage: resident.py WAY RECORD
"""

import os
import sys
import time


def arrays():
    import numpy as np

    kept = [np.ones(1 << 17) for _ in range(100)]
    for _ in range(20):
        np.ones(4 << 20)
    return kept, np.ones(10 << 20)


def lazy():
    import numpy as np

    zeros = np.zeros(1 << 28)
    zeros[: 4 << 20] = 1
    return zeros


WAYS = {
    "arrays": arrays,
    "lazy zeros": lazy,
    "objects": lambda: [{str(i): [i]} for i in range(150_000)],
    "bytes": lambda: [bytes(n % 3000) for n in range(60_000)],
    "freed": lambda: len([bytearray(1 << 20) for _ in range(80)]),
}


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))


kept = WAYS[sys.argv[1]]()
print(resident(), flush=True)
for _ in range(2):  # one look may be under way
    was = written = os.stat(sys.argv[2]).st_mtime_ns
    while written == was:
        time.sleep(0.05)
        written = os.stat(sys.argv[2]).st_mtime_ns
