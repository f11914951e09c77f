"""Tasks of a pool keep what they made under their number; no loop of the program's own comes round."""

import sys
from concurrent.futures import ThreadPoolExecutor

CLEAN = "clean" in sys.argv


class Results:
    def __init__(self):
        self.by_number = {}

    def work(self, number):
        table = bytearray(64_000)  # made
        self.by_number[number] = table  # kept
        if CLEAN:
            self.by_number.pop(number - 8, None)
        return len(table) + sum(range(60_000)) % 3


def main():
    results = Results()
    with ThreadPoolExecutor(max_workers=4) as pool:
        print("sum", sum(pool.map(results.work, range(300))))


main()
