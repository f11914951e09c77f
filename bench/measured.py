"""What a workload tells of itself, on one line: seconds and processor seconds of its steady loop, peak resident KiB, when
it started and ended, and processor seconds of the same loop while the program was young.

Import this first: the start is when it is imported. Times are of the monotonic clock, which bench/run.py reads as well.
"""

import time

STARTED = time.monotonic()


def peak_kib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def timed(loop, rounds):
    began, began_cpu = time.perf_counter(), time.process_time()
    loop(rounds)
    return time.perf_counter() - began, time.process_time() - began_cpu


def steady(loop, warm_up, rounds, settled_after=0):
    """Times loop(rounds) after loop(warm_up); once more, and that is told, when the program is `settled_after` seconds old."""
    loop(warm_up)
    seconds, cpu = timed(loop, rounds)
    young = cpu
    if settled_after:
        while time.monotonic() < STARTED + settled_after:
            loop(warm_up)
        seconds, cpu = timed(loop, rounds)
    print(seconds, cpu, peak_kib(), STARTED, time.monotonic(), young, flush=True)
