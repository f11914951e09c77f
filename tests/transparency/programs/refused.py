"""Arrays that no machine has memory for are refused, and lazy zeros stay lazy."""

import numpy as np


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


for power in (37, 43, 50):
    for kind in (np.uint8, np.float64):
        try:
            np.empty(1 << power, kind)
            print(power, "made")
        except MemoryError as error:
            print(power, str(error).split(" for ")[0])
before = resident()
zeros = np.zeros(1 << 30)  # 8 GiB
zeros[::100_000_000] = 1
print("lazy" if resident() - before < 64 << 20 else "touched", zeros.sum())
