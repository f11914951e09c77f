"""A parent that watches its children in every way there is: snapshots must not be among them."""

import os
import signal
import subprocess
import sys
import threading

import tenure

heard = []
signal.signal(signal.SIGCHLD, lambda *_: heard.append(1))
held = [bytearray(100000) for _ in range(20)]


def waits():
    found = []
    for options in (0, os.WNOHANG, os.WNOHANG | os.WUNTRACED):
        try:
            found.append(os.waitpid(-1, options))
        except ChildProcessError:
            found.append("none")
    try:
        found.append(os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG))
    except ChildProcessError:
        found.append("none")
    return found


def listed():
    me = str(os.getpid())
    with open("/proc/%s/task/%s/children" % (me, me)) as file:
        return file.read()


for _ in range(20):
    tenure.snapshot()
print(waits(), heard, listed() if os.path.exists("/proc/self/task/%d/children" % os.getpid()) else "")

# A loop in another thread, as a process supervisor has it.
stop = threading.Event()
reaped = []


def reap():
    while not stop.is_set():
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            pid = 0
        if pid:
            reaped.append(status)


thread = threading.Thread(target=reap)
thread.start()
for _ in range(20):
    tenure.snapshot()
stop.set()
thread.join()
print(reaped, heard)

# Its own children are all that it sees.
for code in range(3):
    if os.fork() == 0:
        os._exit(code)
    tenure.snapshot()
print(sorted(os.waitpid(-1, 0)[1] >> 8 for _ in range(3)), len(heard) > 0)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(5):
    tenure.snapshot()
print(waits())
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
print(subprocess.call([sys.executable, "-c", "raise SystemExit(5)"]), tenure.snapshot() in (True, False))
print(sorted(os.listdir("/proc/self/fd")), threading.active_count(), len(os.listdir("/proc/self/task")))
