"""20 snapshots while two threads make objects and blocks; the program must not notice any of them."""

import gc
import os
import signal
import sys
import threading

import tenure

children = []
signal.signal(signal.SIGCHLD, lambda *_: children.append(1))
stop = False


def open_files():
    """Each descriptor and what it is. That of the listing itself is closed by then.

    A thread that ends has glibc load libgcc_s, and may do so after it was joined: libraries do not count.
    """
    found = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            name = os.readlink("/proc/self/fd/" + number)
        except FileNotFoundError:
            continue
        if ".so" not in os.path.basename(name):
            found[number] = name
    return found


def churn():
    kept = []
    while not stop:
        kept.append({"block": bytearray(20000), "list": list(range(200))})
        if len(kept) > 300:
            kept = kept[150:]


threads = [threading.Thread(target=churn) for _ in range(2)]
for thread in threads:
    thread.start()
count = int(sys.argv[1])
held = [bytearray(100000) for _ in range(20)]
descriptors = open_files()
references = [sys.getrefcount(block) for block in held]
taken = sum(bool(tenure.snapshot()) for _ in range(count))
stop = True
for thread in threads:
    thread.join()
assert taken == count, taken
assert open_files() == descriptors, (descriptors, open_files())
assert [sys.getrefcount(block) for block in held] == references
assert gc.isenabled()
try:
    os.waitpid(-1, os.WNOHANG)
    raise AssertionError("there is a child")
except ChildProcessError:
    pass
assert not children
print("fine")
