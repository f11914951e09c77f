"""A list and a bytearray that grow step by step to 64 MiB and more."""

import measured


def loop(n):
    for _ in range(n):
        data = bytearray()
        for _ in range(2000):
            data += piece
        items = []
        for i in range(1_000_000):
            items.append(i)


piece = b"x" * 40_000
measured.steady(loop, 1, 5)
