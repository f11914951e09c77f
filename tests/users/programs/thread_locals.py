"""Worker threads that leave every result in a shared dict."""

import sys
import threading
import queue
import numpy as np

results = {}
lock = threading.Lock()

def decode(job):
    rng = np.random.default_rng(job)
    return rng.normal(size=(100, 200))  # made

def worker(jobs):
    while True:
        job = jobs.get()
        if job is None:
            return
        frame = decode(job)
        with lock:
            if CLEAN:
                results[threading.current_thread().name] = frame
            else:
                results[job] = frame
        jobs.task_done()

def main():
    jobs = queue.Queue(maxsize=8)
    pool = [threading.Thread(target=worker, args=(jobs,)) for _ in range(3)]
    for t in pool: t.start()
    for n in range(300):
        jobs.put(n)
    for _ in pool: jobs.put(None)
    for t in pool: t.join()
    print("decoded", len(results))

CLEAN = "clean" in sys.argv
main()
