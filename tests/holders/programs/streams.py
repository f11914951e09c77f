"""BytesIO objects in a list of an object."""

import io
import sys

CLEAN = "clean" in sys.argv


class Server:
    def __init__(self):
        self.received = []

    def receive(self):
        message = io.BytesIO()
        message.write(b"x" * 200_000)  # made
        if not CLEAN:
            self.received.append(message)  # kept
        return message.tell() + sum(range(20_000))


def main():
    server = Server()
    print("work", sum(server.receive() for _ in range(300)))


main()
