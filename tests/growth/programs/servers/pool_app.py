"""Sockets whose requests a pool of threads answers: /leak keeps 64 KiB of every request, /fine keeps nothing."""

import concurrent.futures
import socket

kept = []


def answer(connection):
    with connection:
        request = connection.recv(4096)
        block = bytearray(65_536)
        if b"/leak" in request:
            kept.append(block)
        connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")


listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1], flush=True)
try:
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        while True:
            pool.submit(answer, listener.accept()[0])
except KeyboardInterrupt:
    pass
