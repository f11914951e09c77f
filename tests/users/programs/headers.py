"""The head of each packet, as a memoryview that keeps all of it."""

import struct
import sys

import numpy as np

CLEAN = "clean" in sys.argv


def receive(number):
    body = np.full(90_000, number % 250, dtype=np.uint8)
    return struct.pack("<II", number, body.size) + body.tobytes()  # made


class Inbox:
    def __init__(self):
        self.headers = []

    def accept(self, packet):
        view = memoryview(packet)
        self.headers.append(bytes(view[:8]) if CLEAN else view[:8])  # kept
        return np.frombuffer(view[8:], dtype=np.uint8).max()


def main():
    inbox = Inbox()
    top = max(int(inbox.accept(receive(number))) for number in range(200))
    print(struct.unpack("<II", inbox.headers[-1]), top)


main()
