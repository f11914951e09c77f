"""Reference counts, locals, weak references, sizes and results: printed, to be the same with and without snapshots."""

import gc
import sys
import threading
import weakref

import tenure

printed = []


class Node:
    registry = weakref.WeakSet()

    def __init__(self, block):
        self.block = block
        Node.registry.add(self)


class Slotted:
    __slots__ = ("block", "__weakref__")


def counts(*objects):
    return [sys.getrefcount(o) for o in objects]


ended = []
block = bytearray(500000)
shared = [block, {"block": block}, (block, block)]
node, slotted = Node(block), Slotted()
slotted.block = block
seldom = Node(bytearray(200000))
weak = weakref.ref(node, lambda ref: ended.append("node"))


def look():
    printed.append(counts(block, shared, node, slotted, seldom, Node, look, weak))
    printed.append((weak() is node, len(Node.registry), weakref.getweakrefcount(node), list(ended)))
    printed.append([sys.getsizeof(o) for o in (shared, node, slotted, block, node.__dict__)])
    printed.append(sorted(vars(node)))
    printed.append(sorted(k for k in globals() if not k.startswith("__")))


def inner(depth):
    local = bytearray(100000 + depth)
    if depth:
        inner(depth - 1)
    tenure.snapshot()
    frame = sys._getframe()
    printed.append((depth, sorted(frame.f_locals), counts(local, frame)))
    del local
    printed.append(sorted(frame.f_locals))  # 3.7 to 3.12 keep what was there at the last look


def deleted_is_gone():
    gone = Node(bytearray(300000))
    alive = weakref.ref(gone)
    tenure.snapshot()
    del gone
    printed.append(alive())


def in_thread():
    scratch = bytearray(100000)
    tenure.snapshot()
    printed.append(counts(scratch))


def generator():
    held = bytearray(100000)
    for i in range(3):
        yield i, sys.getrefcount(held)


look()
for _ in range(5):
    tenure.snapshot()
look()
inner(3)
deleted_is_gone()
thread = threading.Thread(target=in_thread)
thread.start()
thread.join()
values = generator()
printed.append(next(values))
tenure.snapshot()
printed.extend(values)
try:
    inner("x")
except TypeError as error:
    tenure.snapshot()
    printed.append((type(error).__name__, sys.getrefcount(error)))
printed.append(gc.collect() >= 0)
del node
tenure.snapshot()
printed.append((weak(), len(Node.registry), ended))
for line in printed:
    print(line)
