"""Buffers of ctypes in a list."""

import ctypes
import sys

CLEAN = "clean" in sys.argv


class Capture:
    def __init__(self):
        self.frames = []

    def grab(self):
        frame = ctypes.create_string_buffer(200_000)  # made
        if not CLEAN:
            self.frames.append(frame)  # kept
        return len(frame) + sum(range(20_000))


def main():
    capture = Capture()
    print("grabbed", sum(capture.grab() for _ in range(300)))


main()
