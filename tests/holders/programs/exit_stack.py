"""One ExitStack for the whole run collects what every round should have closed."""

import contextlib
import sys

CLEAN = "clean" in sys.argv


def release(page):
    page.clear()


def main():
    work = 0
    with contextlib.ExitStack() as stack:
        for number in range(300):
            page = bytearray(200_000)  # made
            work += sum(range(20_000)) + len(page)
            if not CLEAN:
                stack.callback(release, page)  # kept
        print("work", work)


main()
