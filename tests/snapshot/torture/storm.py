"""200 snapshots while threads train, fork, import and collect. Prints what was computed; argument 1: snapshots."""

import gc
import importlib
import os
import sys
import threading

import tenure

try:
    import numpy
except ImportError:
    numpy = None

ROUNDS = 400
stop = threading.Event()


def train_arrays(seed):
    weights = numpy.full((64, 64), 0.01 * seed)
    batch = numpy.arange(64 * 64, dtype=float).reshape(64, 64) / 4096
    kept = []
    for round_ in range(ROUNDS):
        loss = numpy.tanh(weights @ batch)
        weights = weights - 0.01 * loss
        kept.append(loss)
        if len(kept) > 50:
            del kept[:25]
    return float(weights.sum())


def train_lists(seed):
    weights = [0.01 * seed * i for i in range(500)]
    kept = []
    for round_ in range(ROUNDS):
        weights = [w - 0.01 * (w * w - 1) for w in weights]
        kept.append((bytearray(5000), list(weights)))
        if len(kept) > 50:
            del kept[:25]
    return sum(weights)


def train(seed, results):
    results[seed] = (train_arrays if numpy else train_lists)(seed)


def fork_again_and_again(codes):
    while not stop.is_set():
        pid = os.fork()
        if pid == 0:
            block = bytearray(200000)
            os._exit(7 if len(block) == 200000 else 8)
        codes.add(os.waitpid(pid, 0)[1])


def import_again_and_again():
    while not stop.is_set():
        for name in ("colorsys", "sndhdr" if sys.version_info < (3, 11) else "stringprep"):
            sys.modules.pop(name, None)
            importlib.import_module(name)


def collect_again_and_again():
    while not stop.is_set():
        cycle = []
        cycle.append((cycle, bytearray(3000)))
        del cycle
        gc.collect(1)


def main():
    results, codes = {}, set()
    busy = [
        threading.Thread(target=fork_again_and_again, args=(codes,)),
        threading.Thread(target=import_again_and_again),
        threading.Thread(target=collect_again_and_again),
    ]
    workers = [threading.Thread(target=train, args=(seed, results)) for seed in (1, 2)]
    for thread in busy + workers:
        thread.start()
    held = [bytearray(100000) for _ in range(20)]
    taken = sum(bool(tenure.snapshot()) for _ in range(int(sys.argv[1])))
    for thread in workers:
        thread.join()
    stop.set()
    for thread in busy:
        thread.join()
    assert taken == (int(sys.argv[1]) if tenure.is_running() else 0), taken
    assert codes == {7 << 8}, codes
    print(sorted(results.items()), len(held), gc.isenabled())


main()
