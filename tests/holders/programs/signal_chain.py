"""Each handler of a signal remembers the one before it."""

import signal
import sys

CLEAN = "clean" in sys.argv


def install(before):
    page = bytearray(200_000)  # made

    def handler(number, frame):
        page.clear()
        if callable(before):
            before(number, frame)

    return handler


def main():
    work = 0
    for number in range(300):
        before = None if CLEAN else signal.getsignal(signal.SIGUSR1)
        signal.signal(signal.SIGUSR1, install(before))  # kept
        work += sum(range(20_000))
    print("work", work)


main()
