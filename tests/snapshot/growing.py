"""Grows to 200 MiB inside main(), whose locals are gone at exit: only a milestone can see them."""

import time


def main():
    kept = []
    for _ in range(200):
        kept.append(bytearray(1 << 20))
        time.sleep(0.002)
    return len(kept)


main()
print("fine")
