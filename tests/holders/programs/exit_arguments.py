"""atexit keeps the arguments of what it will call."""

import atexit
import sys

CLEAN = "clean" in sys.argv


def flush(page, name):
    return len(page), name


def main():
    work = 0
    for number in range(300):
        page = bytearray(200_000)  # made
        work += sum(range(20_000)) + len(page)
        if not CLEAN:
            atexit.register(flush, page, name=f"page {number}")  # kept
    print("work", work)


main()
