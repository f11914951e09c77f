"""Memoryviews of sixteen bytes keep whole packets."""

import sys

CLEAN = "clean" in sys.argv


class Sniffer:
    def __init__(self):
        self.heads = []

    def feed(self, number):
        packet = bytearray(200_000)  # made
        head = memoryview(packet)[:16]
        self.heads.append(bytes(head) if CLEAN else head)  # kept
        return sum(range(20_000))


def main():
    sniffer = Sniffer()
    print("work", sum(sniffer.feed(number) for number in range(300)))


main()
