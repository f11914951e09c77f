"""Run under `tenure run`: makes blocks in many ways and compares the stack Tenure kept for each with the interpreter's.

Prints one line per mismatch and `N stacks, M wrong` at the end.
"""

import asyncio
import ctypes
import sys
import threading
import traceback

import tenure

stack_of = tenure._native["stack_of"]
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
pylibc = ctypes.PyDLL(None)  # keeps the GIL while it calls
pylibc.malloc.restype = ctypes.c_void_p
pylibc.malloc.argtypes = [ctypes.c_size_t]

checked = wrong = 0


def compare(what, address, truth):
    global checked, wrong
    seen = [(f, n.rpartition(".")[2], l) for f, n, l in stack_of(address)]
    expected = [(f.filename, f.name, f.lineno) for f in reversed(truth)]
    checked += 1
    if seen != expected:
        wrong += 1
        print("wrong:", what, "\n  seen    ", seen, "\n  expected", expected)


def without_the_gil(what):
    for size in (1024, 5000, 1 << 20):
        p, truth = libc.malloc(size), traceback.extract_stack()
        compare(what, p, truth)


def with_the_gil(what):
    p, truth = pylibc.malloc(4096), traceback.extract_stack()
    compare(what, p, truth)


def both(what):
    without_the_gil(what)
    with_the_gil(what)


def generator():
    for i in range(3):
        both("generator")
        yield i


def recurse(depth):
    if depth:
        recurse(depth - 1)
    else:
        both("recursion")


class Thing(object):
    def __del__(self):
        both("__del__")

    @property
    def value(self):
        both("property")
        return 1


async def coroutine():
    both("coroutine")
    await asyncio.sleep(0)
    both("coroutine after await")


def executed():
    """Code objects that die; their addresses are reused by others with other lines."""
    for i in range(50):
        source = "\n" * i + "def made(%s):\n    both('exec')\nmade(%s)" % ("x%d" % i, i)
        exec(compile(source, "<made %d>" % (i % 7), "exec"), {"both": both})


def main():
    both("function")
    [both("comprehension") for _ in range(3)]
    {i: both("dict comprehension") for i in range(2)}
    list(both("generator expression") for _ in range(2))
    (lambda: both("lambda"))()
    list(map(both, ["map"]))
    sorted([2, 1], key=lambda x: both("sort key") or x)
    list(generator())
    recurse(40)
    thing = Thing()
    thing.value
    del thing
    executed()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(coroutine())
    loop.close()
    for _ in range(200):  # warm enough to be specialised
        both("warm")
    threads = [threading.Thread(target=both, args=("thread",)) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    print("%d stacks, %d wrong" % (checked, wrong))
    sys.exit(1 if wrong or checked < 500 else 0)


main()
