"""Full images stay with the entries of an album, though only thumbnails are shown."""

import sys

from PIL import Image

CLEAN = "clean" in sys.argv


class Entry:
    def __init__(self, name):
        self.name = name
        self.image = Image.new("RGB", (400, 300), (name % 255, 3, 4))  # made
        self.thumbnail = self.image.resize((8, 8))
        if CLEAN:
            self.image = None


def main():
    entries = {}
    work = 0
    for number in range(200):
        entries[number] = Entry(number)  # kept
        work += sum(range(20_000)) + entries[number].thumbnail.getpixel((0, 0))[1]
    print("work", work)


main()
