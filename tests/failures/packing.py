"""The files of a record, unpacked and packed again; docs/ledger-format.md says how they are made."""

from __future__ import annotations

import ctypes
import ctypes.util
import struct
from typing import Any, List, Optional

import pytest

FILE_HEADER = "<8sIIQQQ"  # magic, version, architecture, packed bytes, raw bytes, checksum


def changed_header(data: bytes, **changes: int) -> bytes:
    names = ["magic", "version", "architecture", "packed", "raw", "checksum"]
    fields = dict(zip(names, struct.unpack_from(FILE_HEADER, data)))
    fields.update(changes)
    return struct.pack(FILE_HEADER, *fields.values()) + data[struct.calcsize(FILE_HEADER) :]


def library(name: str) -> Optional[ctypes.CDLL]:
    path = ctypes.util.find_library(name)
    return ctypes.CDLL(path) if path else None


class Packer:
    """Unpacks a ledger or a snapshot and packs it again with a fitting checksum, so that damage gets past it."""

    def __init__(self, zstd: ctypes.CDLL, xxhash: ctypes.CDLL) -> None:
        self.zstd, self.xxhash = zstd, xxhash
        for function in (zstd.ZSTD_compress, zstd.ZSTD_decompress, zstd.ZSTD_compressBound):
            function.restype = ctypes.c_size_t
        zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
        sized: List[Any] = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
        zstd.ZSTD_decompress.argtypes, zstd.ZSTD_compress.argtypes = sized, [*sized, ctypes.c_int]
        xxhash.XXH64.restype = ctypes.c_uint64
        xxhash.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]

    def unpack(self, data: bytes) -> bytes:
        raw_bytes = struct.unpack_from(FILE_HEADER, data)[4]
        out = ctypes.create_string_buffer(raw_bytes)
        packed = data[struct.calcsize(FILE_HEADER) :]
        assert self.zstd.ZSTD_decompress(out, raw_bytes, packed, len(packed)) == raw_bytes
        return out.raw

    def pack(self, like: bytes, raw: bytes) -> bytes:
        room = self.zstd.ZSTD_compressBound(len(raw))
        out = ctypes.create_string_buffer(room)
        used = self.zstd.ZSTD_compress(out, room, raw, len(raw), 1)
        packed = out.raw[:used]
        header = changed_header(
            like[: struct.calcsize(FILE_HEADER)],
            packed=len(packed),
            raw=len(raw),
            checksum=self.xxhash.XXH64(raw, len(raw), 0),
        )
        return header + packed


def found_packer() -> Packer:
    zstd, xxhash = library("zstd"), library("xxhash")
    if not zstd or not xxhash:
        pytest.skip("libzstd and libxxhash are needed to unpack a ledger")
    return Packer(zstd, xxhash)
