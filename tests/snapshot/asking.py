"""Asks who holds things, in the program itself. Prints what it is told."""

import tenure


class Loader:
    def __init__(self):
        self.cache = {}


def main():
    loader = Loader()
    loader.cache["first"] = bytearray(400000)
    print(tenure.holders(loader.cache["first"]))
    print(tenure.holders(12))
    print(tenure.holders(bytearray(400000)))


losses = [bytearray(500000)]
print(tenure.holders(losses[0]))
print(tenure.holders(memoryview(losses[0])[::-2]))
main()
