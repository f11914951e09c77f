"""Every connection asks to be closed at exit, and none can go before."""

import atexit
import sys

CLEAN = "clean" in sys.argv


class Connection:
    def __init__(self, number):
        self.number = number
        self.window = bytearray(200_000)  # made
        atexit.register(self.close)  # kept

    def close(self):
        self.window = None
        if CLEAN:
            atexit.unregister(self.close)


def main():
    sent = 0
    for number in range(300):
        connection = Connection(number)
        sent += len(connection.window[::1000]) + sum(range(20_000)) % 3
        if CLEAN:
            connection.close()
    print("sent", sent)


main()
