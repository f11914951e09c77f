"""Sends what is no message to the supervisor's sockets, with and without descriptors. Plain it has nobody to send to."""

import array
import os
import random
import socket
import struct

DICE = random.Random(5)


def memfd(content):
    fd = os.memfd_create("noise")
    os.write(fd, content)
    return fd


def noise(size):
    return bytes(DICE.randrange(256) for _ in range(size))


def descriptors():
    """Files of all kinds; some begin as a ledger or a snapshot does."""
    yield []
    yield [os.open(os.devnull, os.O_RDWR)]
    yield list(os.pipe())
    for start in (b"", b"TENURELG", b"TENURESN", b"TENUREFL"):
        yield [memfd(start + noise(5000))]
    whole = memfd(b"TENURELG" + noise(3000))
    os.ftruncate(whole, 1 << 40)
    yield [whole]
    yield [os.open(os.getcwd(), os.O_RDONLY)]


def messages():
    yield b""
    for size in (1, 7, 8, 12, 32, 33, 500):
        yield noise(size)
    for version in range(1, 40):  # one of them is the one of today
        yield struct.pack("<Iii", version, DICE.choice([os.getpid(), -1, 0, 1]), 1)
        yield struct.pack("<Ii", version, os.getpid())
        yield struct.pack("<IIiIQQ", version, DICE.randrange(4), -1, 0, DICE.getrandbits(64), 0)


def send(name, message, fds):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as to:
        to.connect("\0" + name)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        try:
            to.sendmsg([message], rights)
        except OSError:
            pass  # it has hung up


kept = [bytearray(100_000) for _ in range(100)]
name = os.environ.get("TENURE_SOCKET")
for message in messages() if name else ():
    for fds in descriptors():
        for suffix in ("", ".snapshots", ".queries"):
            send(name + suffix, message, fds)
        for fd in fds:
            os.close(fd)
print("sent", len(kept))
raise SystemExit(4)
