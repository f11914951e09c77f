"""Every job starts a thread that waits for an event nobody sets; its frame has the job's data."""

import sys
import threading

CLEAN = "clean" in sys.argv


def watch(done, frames):
    if not done.wait(timeout=3600):
        print("late", len(frames))


def main():
    seen = 0
    for number in range(120):
        done = threading.Event()
        frames = bytearray(400_000)  # made
        threading.Thread(target=watch, args=(done, frames), daemon=True).start()  # kept
        seen += sum(range(30_000)) + len(frames)
        if CLEAN:
            done.set()
    print("seen", seen)


main()
