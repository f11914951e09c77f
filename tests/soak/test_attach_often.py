"""Programs that are attached to and left again, over and over: none of them notices."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest

ROUNDS = 100
PATIENCE = 300
LEAK = Path(__file__).resolve().parents[1] / "attach" / "programs" / "leak.c"

LOOP = """
import os, sys
kept = []
def step(i):
    kept.append(bytearray(20_000))
    del kept[:-50]
    return sum(bytes([i % 251]) * 50_000)
total, i = 0, 0
while not os.path.exists(sys.argv[1]):
    total += step(i) - (i % 251) * 50_000
    i += 1
print("off by", total)
"""

SERVER = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = bytes([65 + len(self.path) % 20]) * 20_000
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@pytest.fixture
def start() -> Iterator[Callable[[List[str]], subprocess.Popen[str]]]:
    started: List[subprocess.Popen[str]] = []

    def begin(command: List[str]) -> subprocess.Popen[str]:
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield begin
    for process in started:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()


def attach_often(tenure: str, pid: int, folder: Path) -> None:
    for n in range(ROUNDS):
        command = [tenure, "attach", str(pid), "--for", "100ms", "-o", str(folder / "record")]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        assert done.returncode == 0 and "detached from" in done.stderr, (n, done.stderr)


def resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/statm").read_text(encoding="ascii")
    return int(status.split()[1]) * os.sysconf("SC_PAGESIZE")


def test_a_c_program(
    tenure: str, tmp_path: Path, start: Any, compile_program: Callable[..., str]
) -> None:
    program = start([compile_program(LEAK)])
    attach_often(tenure, program.pid, tmp_path)
    program.send_signal(signal.SIGTERM)
    assert program.communicate(timeout=PATIENCE)[0] == "wrong: 0\n"
    assert program.returncode == 0


def test_every_python(tenure: str, tmp_path: Path, start: Any, pythons: List[str]) -> None:
    for number, python in enumerate(pythons):
        stop = tmp_path / f"stop-{number}"
        program = start([python, "-c", LOOP, str(stop)])
        attach_often(tenure, program.pid, tmp_path)
        assert resident(program.pid) < 200 << 20, python
        stop.touch()
        assert program.communicate(timeout=PATIENCE)[0] == "off by 0\n", python
        assert program.returncode == 0, python


def test_a_server_under_load(tenure: str, tmp_path: Path, start: Any) -> None:
    server = start([sys.executable, "-c", SERVER])
    port = int(server.stdout.readline())
    failures: List[str] = []
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            try:
                answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/x", timeout=PATIENCE)
                if answer.read() != bytes([65 + 2]) * 20_000:
                    failures.append("another body")
            except OSError as error:
                failures.append(repr(error))

    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers:
        asker.start()
    try:
        attach_often(tenure, server.pid, tmp_path)
    finally:
        is_over.set()
        for asker in askers:
            asker.join()
    assert failures == []
    assert server.poll() is None
