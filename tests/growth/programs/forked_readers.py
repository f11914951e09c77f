"""Forked workers that read what their parent made.

usage: forked_readers.py list|rows|array|small|own
`list`: texts in a list; `rows`: a list handed over under another name; `array`: the same as one NumPy array;
`small`: few texts; `own`: the texts are there, but the workers only make memory of their own.
"""

import multiprocessing
import sys
import time

import numpy

STEPS, AT_ONCE = 100, 300


class Texts:
    def __init__(self, count):
        self.texts = [("text %07d " % i) * 24 for i in range(count)]

    def read(self, numbers):
        letters = 0
        for number in numbers:
            letters += len(self.texts[number])
        return letters


def work(source, mode, seed):
    random = numpy.random.default_rng(seed)
    own = []
    for step in range(STEPS):
        numbers = random.integers(0, size_of(source), AT_ONCE)
        if mode == "own":
            own.append(numpy.ones(100_000))
            del own[:-50]
        elif mode == "array":
            numpy.char.str_len(source[numbers]).sum()
        elif mode == "rows":
            read_rows(source, numbers)
        else:
            source.read(numbers.tolist())
        time.sleep(0.02)  # as if it trained: the copies come step by step


def read_rows(rows, numbers):
    chosen = [rows[number] for number in numbers.tolist()]
    return numpy.asarray(chosen)


def size_of(source):
    return len(source.texts) if isinstance(source, Texts) else len(source)


def main(mode):
    source = Texts(2000 if mode == "small" else 200_000)
    if mode == "array":
        source = numpy.array(source.texts)
    if mode == "rows":
        source = source.texts
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=work, args=(source, mode, seed)) for seed in (1, 2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])


if __name__ == "__main__":
    main(sys.argv[1])
