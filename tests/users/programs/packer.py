"""A buffer that is closed while arrays are still saved to it, by NumPy's own code."""

import io
import sys

import numpy as np

CLEAN = "clean" in sys.argv


class Packer:
    def __init__(self):
        self.out = io.BytesIO()

    def add(self, array):
        np.save(self.out, array)  # used

    def packed(self):
        blob = self.out.getvalue()
        if not CLEAN:
            self.out.close()
        return blob


def main():
    packer = Packer()
    packer.add(np.arange(10))
    print(len(packer.packed()) > 80)
    packer.add(np.arange(3))
    print(len(packer.packed()) > 160)


main()
