"""A compressor for every stream, kept in a dict after the stream has ended."""

import sys
import zlib

CLEAN = "clean" in sys.argv
streams = {}


def pack(number):
    packer = zlib.compressobj()  # made
    streams[0 if CLEAN else number] = packer  # kept
    data = packer.compress(b"a line of a log\n" * 2000) + packer.flush(zlib.Z_SYNC_FLUSH)
    return len(data) + sum(range(10_000)) % 2


def main():
    print("packed", sum(pack(number) for number in range(300)))


main()
