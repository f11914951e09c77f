"""Runs until its standard input ends, making and dropping blocks, with most of them in one dict."""

import sys
import threading
import time

ended = threading.Event()
requests = {}


def wait_for_end():
    sys.stdin.read()
    ended.set()


def serve():
    reader = threading.Thread(target=wait_for_end, daemon=True)
    reader.start()
    for number in range(1000000):
        if len(requests) < 30:
            requests[number] = bytearray(200000)
            print("more", flush=True)
        bytearray(200000)
        time.sleep(0.005)
        if ended.is_set():
            break


serve()
print("fine")
