"""Each poller is a thread of its own that waits for a word to stop, and gets none."""

import sys
import threading

CLEAN = "clean" in sys.argv


class Poller(threading.Thread):
    def __init__(self, number):
        super().__init__(daemon=True)
        self.number = number
        self.window = bytearray(100_000)  # made
        self.stopped = threading.Event()

    def run(self):
        self.stopped.wait()


def main():
    seen = 0
    for number in range(150):
        poller = Poller(number)
        poller.start()  # kept
        seen += len(poller.window) + sum(range(60_000)) % 3
        if CLEAN:
            poller.stopped.set()
            poller.join()
    print("seen", seen)


main()
