"""A bytearray, then a list, that grow step by step to 1 GiB."""

import measured

GIB = 1 << 30


def loop(n):
    for _ in range(n):
        data = bytearray()
        while len(data) < GIB:
            data += piece
        del data
        items = []
        while 8 * len(items) < GIB:
            items += numbers


piece, numbers = b"x" * 40_000, list(range(5_000))
measured.steady(loop, 1, 2)
