"""No further process is allowed: clone() is refused by a seccomp filter, as in a strict sandbox."""

import ctypes
import struct

import tenure

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
CLONE, EAGAIN = 56, 11  # x86-64


def instruction(code, true, false, value):
    return struct.pack("HBBI", code, true, false, value)


program = b"".join(
    [
        instruction(0x20, 0, 0, 0),  # the number of the call
        instruction(0x15, 0, 1, CLONE),
        instruction(0x06, 0, 0, 0x00050000 | EAGAIN),
        instruction(0x06, 0, 0, 0x7FFF0000),
    ]
)
held = [bytearray(300000) for _ in range(5)]
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(program)
filter_ = struct.pack("HxxxxxxQ", 4, ctypes.addressof(code))
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.c_char_p(filter_), 0, 0) == 0
assert not tenure.snapshot()
assert not tenure.snapshot()
print("fine")
