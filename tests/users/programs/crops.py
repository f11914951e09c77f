"""Keeps the middle of each picture, in a small class of its own."""

import dataclasses
import sys

import numpy as np

CLEAN = "clean" in sys.argv


@dataclasses.dataclass
class Crop:
    name: str
    pixels: np.ndarray


class Gallery:
    def __init__(self):
        self.by_name = {}

    def show(self, name, picture):
        middle = picture[90:110, 90:110]
        self.by_name[name] = Crop(name, middle.copy() if CLEAN else middle)  # kept


def main():
    rng = np.random.default_rng(0)
    gallery = Gallery()
    for n in range(120):
        picture = rng.random((200, 200), dtype=np.float32)  # made
        gallery.show("picture-%d" % n, picture)
    print(len(gallery.by_name))


main()
