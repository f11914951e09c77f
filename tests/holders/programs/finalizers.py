"""weakref.finalize keeps the arguments of its callback as long as the object lives."""

import sys
import weakref

CLEAN = "clean" in sys.argv


class Pool:
    pass


def give_back(page):
    page.clear()


def main():
    pool = Pool()
    work = 0
    for number in range(300):
        page = bytearray(200_000)  # made
        owner = Pool() if CLEAN else pool
        weakref.finalize(owner, give_back, page)  # kept
        work += sum(range(20_000)) + len(page)
    print("work", work)


main()
