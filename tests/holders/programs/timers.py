"""Timers that are never cancelled keep what they would be called with."""

import sys
import threading

CLEAN = "clean" in sys.argv


class Session:
    def __init__(self, number):
        self.number = number
        self.inbox = bytearray(400_000)  # made

    def expire(self):
        self.inbox = None


def main():
    seen = 0
    for number in range(120):
        session = Session(number)
        timer = threading.Timer(3600, session.expire)
        timer.daemon = True
        timer.start()  # kept
        seen += sum(range(30_000)) + len(session.inbox)
        if CLEAN:
            timer.cancel()
    print("seen", seen)


main()
