"""Slabs of a mapped file, one of them read when the map is closed."""

import mmap
import os
import sys
import tempfile

import numpy as np

CLEAN = "clean" in sys.argv


class Volume:
    def __init__(self, path):
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 0)

    def slab(self, k, size=4096):
        return np.frombuffer(self.map[k * size : (k + 1) * size], np.uint8)  # used

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.map.close()
        self.file.close()


def main():
    path = os.path.join(tempfile.mkdtemp(), "volume.raw")
    np.arange(65536, dtype=np.uint8).tofile(path)
    with Volume(path) as volume:
        print(volume.slab(0).sum())
        if CLEAN:
            print(volume.slab(1).sum())
    if not CLEAN:
        print(volume.slab(1).sum())


main()
