"""Futures of a pool, all kept with their results."""

import concurrent.futures
import sys

CLEAN = "clean" in sys.argv


def render(number):
    return bytearray(200_000)  # made


def main():
    pending = []
    work = 0
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for number in range(300):
            future = pool.submit(render, number)
            if not CLEAN:
                pending.append(future)  # kept
            work += len(future.result()) + sum(range(20_000))
        print("work", work)


main()
