"""A bus keeps a partial for everyone who ever subscribed."""

import functools
import sys

CLEAN = "clean" in sys.argv


class Bus:
    def __init__(self):
        self.listeners = []

    def subscribe(self, listener):
        self.listeners.append(listener)  # kept

    def publish(self, event):
        return sum(listener(event) for listener in self.listeners[-3:])


def on_event(view, event):
    return len(view) + event


def main():
    bus = Bus()
    work = 0
    for number in range(300):
        view = bytearray(200_000)  # made
        if CLEAN:
            bus.listeners.clear()
        bus.subscribe(functools.partial(on_event, view))
        work += bus.publish(number) + sum(range(20_000))
    print("work", work)


main()
