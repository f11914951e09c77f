"""A queue that is filled and never emptied."""

import queue
import sys

CLEAN = "clean" in sys.argv


class Recorder:
    def __init__(self):
        self.inbox = queue.Queue()

    def record(self, number):
        sample = bytearray(200_000)  # made
        self.inbox.put(sample)  # kept
        if CLEAN:
            self.inbox.get()
        return sum(range(20_000))


def main():
    recorder = Recorder()
    print("work", sum(recorder.record(number) for number in range(300)))


main()
