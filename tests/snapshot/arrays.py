"""NumPy arrays: in a global list, under an attribute of a local, views, object arrays."""

import numpy as np
import tenure

UNIT = 1 << 16


def data(number):
    return np.ones((1 << 20) + number * UNIT, dtype=np.uint8)


class Loader:
    def __init__(self):
        self.cache = [data(1)]


losses = [data(2)]
heads = {"first": data(3)[:10]}
boxes = np.array([None, None], dtype=object)
boxes[1] = data(4)
frozen = np.lib.stride_tricks.as_strided(data(5), (4,), (1,))


def main():
    loader = Loader()
    assert tenure.snapshot()
    return loader


main()
print("fine")
