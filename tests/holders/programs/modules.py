"""A module is made for every plug-in, and sys.modules keeps it."""

import sys
import types

CLEAN = "clean" in sys.argv


def load(number):
    module = types.ModuleType(f"plugin_{0 if CLEAN else number}")
    module.table = bytearray(200_000)  # made
    sys.modules[module.__name__] = module  # kept
    return len(module.table) + sum(range(20_000))


def main():
    print("work", sum(load(number) for number in range(300)))


main()
