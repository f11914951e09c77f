"""Holders of every kind, each with a bytearray of its own size. Takes one snapshot while all of them hold."""

import collections
import functools
import gc
import threading

import tenure

UNIT = 4096


def data(number):
    return bytearray(100 * UNIT + number * UNIT)


class Loader:
    pass


class Slotted:
    __slots__ = ("buf",)


class Node:
    pass


def make_closure():
    held = data(1)
    return lambda: held


@functools.lru_cache(maxsize=7)
def cached(_):
    return data(2)


def fail():
    batch = data(3)
    raise ValueError(len(batch))


def numbers():
    inside = data(4)
    yield len(inside)
    yield len(inside)


def make_garbage():
    a, b = Node(), Node()
    a.other, b.other, a.payload = b, a, data(5)


def default(_, x=data(6)):
    return x


def work(ready, done):
    scratch = data(7)
    ready.set()
    done.wait()
    return scratch


gc.disable()
losses = [data(8)]
by_name = {"train": data(9), 12: data(10), (1, "a"): data(11)}
closure = make_closure()
cached(1)
recent = collections.deque([data(12)], maxlen=4)
try:
    fail()
except ValueError as error:
    stored = error
local = threading.local()
local.scratch = data(13)
running = numbers()
next(running)
make_garbage()
slotted = Slotted()
slotted.buf = data(14)
text = b"x" * (100 * UNIT + 15 * UNIT)
viewed = memoryview(data(17))


def main():
    loader = Loader()
    loader.cache = [data(16)]
    before = gc.get_count(), gc.isenabled()
    assert tenure.snapshot()
    assert (gc.get_count(), gc.isenabled())[1] == before[1]
    return loader


ready, done = threading.Event(), threading.Event()
thread = threading.Thread(target=work, args=(ready, done), name="loader-7")
thread.start()
ready.wait()
main()
done.set()
thread.join()
print("fine")
