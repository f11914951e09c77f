"""What a workload tells of itself, on one line: seconds and processor seconds of its steady loop, peak resident KiB, when
it started and ended.

Import this first: the start is when it is imported. Times are of the monotonic clock, which bench/run.py reads as well.
"""

import time

STARTED = time.monotonic()


def peak_kib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def steady(loop, warm_up, rounds):
    """Times loop(rounds) after loop(warm_up)."""
    loop(warm_up)
    began, began_cpu = time.perf_counter(), time.process_time()
    loop(rounds)
    seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    print(seconds, cpu, peak_kib(), STARTED, time.monotonic(), flush=True)
