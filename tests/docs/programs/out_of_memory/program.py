"""Frames are collected before they are written, on a machine with little memory."""

import resource

resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def collect(frames):
    for _ in range(10_000):
        frames.append(bytearray(1 << 20))


collect([])
