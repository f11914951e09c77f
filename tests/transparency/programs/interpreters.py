"""Streams that end and fail in interpreters beside the first one; in Python 3.12 and later each has a GIL of its own."""

import io
import sys
import threading

if sys.version_info >= (3, 13):
    import _interpreters as interpreters
elif sys.version_info >= (3, 8):
    import _xxsubinterpreters as interpreters
else:
    import _testcapi

WORK = """
import io, json, os, random
for i in range(30):
    with open(os.devnull, "w") as file:
        file.write("words" * 100)
    stream = io.BytesIO(b"x" * 70_000)
    stream.close()
    text = io.TextIOWrapper(io.BytesIO())
    text.detach()
    for broken in (stream, text, file):
        try:
            broken.read() if broken is not file else broken.write("x")
            raise SystemError("it could be used")
        except ValueError:
            pass
    kept = [bytearray(20_000) for _ in range(20)]
"""


def run_elsewhere():
    if sys.version_info < (3, 8):
        return _testcapi.run_in_subinterp(WORK) or None
    other = interpreters.create()
    failed = interpreters.run_string(other, WORK)
    interpreters.destroy(other)
    return failed


def live():
    for _ in range(5):
        failed = run_elsewhere()
        assert failed is None, failed


live()
if sys.version_info >= (3, 12):  # before, one interpreter's threads and the others' get in each other's way by themselves
    threads = [threading.Thread(target=live) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
stream = io.StringIO()
stream.close()
try:
    stream.write("late")
except ValueError as error:
    print(error)
