"""A heap of what is still to do, from which nothing is taken."""

import heapq
import sys

CLEAN = "clean" in sys.argv


def main():
    agenda = []
    work = 0
    for number in range(300):
        plan = bytearray(200_000)  # made
        heapq.heappush(agenda, (number % 7, number, plan))  # kept
        work += sum(range(20_000))
        if CLEAN:
            heapq.heappop(agenda)
    print("work", work)


main()
