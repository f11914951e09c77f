"""A selector keeps the data given to it for every socket that is not taken out."""

import selectors
import socket
import sys

CLEAN = "clean" in sys.argv


def main():
    selector = selectors.SelectSelector()
    work = 0
    pairs = []
    for number in range(150):
        here, there = socket.socketpair()
        inbox = bytearray(400_000)  # made
        selector.register(here, selectors.EVENT_READ, data=inbox)  # kept
        pairs.append((here, there))
        work += sum(range(20_000)) + len(inbox)
        if CLEAN:
            selector.unregister(here)
    print("work", work)


main()
