"""`--metrics` tells of a running program in text that Prometheus' own parser takes, and is no part of the program."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Dict, List

import pytest

# Waits until somebody has seen its leak, but not for ever.
PROGRAM = """\
import os, sys, time
kept = []


def load(n):
    kept.append(bytearray(500_000))


for n in range(80):
    load(n)
    sum(range(20_000))
for n in range(6000):
    if os.path.exists("seen"):
        break
    time.sleep(0.01)
"""
PARSE = """\
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
print(json.dumps([[s.name, s.labels, s.value] for f in text_string_to_metric_families(sys.stdin.read())
                  for s in f.samples]))
"""


def parsed(python: str, text: str) -> List[Any]:
    done = subprocess.run([python, "-c", PARSE], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + text
    samples: List[Any] = json.loads(done.stdout)
    return samples


def values(samples: List[Any], name: str, **labels: str) -> List[float]:
    return [
        value for sample, own, value in samples if sample == name and labels.items() <= own.items()
    ]


class Running:
    def __init__(self, tenure: str, folder: Path, metrics: str) -> None:
        (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
        command = [
            tenure,
            "run",
            "--metrics",
            metrics,
            "-o",
            "record",
            "--",
            sys.executable,
            "program.py",
        ]
        self.folder = folder
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def end(self) -> str:
        (self.folder / "seen").touch()
        _, told = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, told
        return told


def until(look: Any, process: subprocess.Popen[str]) -> Any:
    """What `look` sees when it is not nothing; the program waits for it."""
    while process.poll() is None:
        seen = look()
        if seen:
            return seen
    pytest.fail("the program ended before it was seen: " + str(process.communicate()))


def has_seen_all(text: str) -> bool:
    live = [line.split()[-1] for line in text.splitlines() if line.startswith("tenure_live_bytes")]
    return 'severity="leak"} 1\n' in text and max(map(int, live), default=0) >= 80 * 500_000


def check(samples: List[Any]) -> None:
    assert values(samples, "tenure_findings", severity="leak") == [1]
    assert values(samples, "tenure_live_bytes") >= [80 * 500_000]
    assert values(samples, "tenure_resident_bytes") >= [80 * 500_000]
    (per_step,) = values(samples, "tenure_growth_bytes_per_step", place="program.py:6")
    assert 450_000 < per_step < 550_000
    assert values(samples, "tenure_own_processor_seconds_total")[0] > 0


def test_a_file_has_what_is_live_and_what_leaks(tenure, fleet_python, tmp_path):
    target = tmp_path / "tenure.prom"
    running = Running(tenure, tmp_path, str(target))

    def look() -> Any:
        text = target.read_text(encoding="utf-8") if target.exists() else ""
        is_whole = text.endswith("# EOF\n") or not text
        assert is_whole, "a reader saw half of it"
        return has_seen_all(text) and text

    samples = parsed(fleet_python, until(look, running.process))
    assert values(samples, "tenure_running") == [1]
    check(samples)
    told = running.end()
    assert "1 leak" in told
    last = parsed(fleet_python, target.read_text(encoding="utf-8"))
    assert values(last, "tenure_running") == [0]
    assert [path.name for path in tmp_path.glob("tenure.prom*")] == ["tenure.prom"]


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_a_port_on_this_machine_answers(tenure, fleet_python, tmp_path):
    port = free_port()
    running = Running(tenure, tmp_path, str(port))

    def look() -> Any:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
                text = answer.read().decode()
                kind = answer.headers["Content-Type"]
        except OSError:
            return None
        return has_seen_all(text) and (text, kind)

    text, kind = until(look, running.process)
    assert kind.startswith("application/openmetrics-text")
    check(parsed(fleet_python, text))
    live = subprocess.run(
        [tenure, "live", "record", "--metrics", "-"], cwd=tmp_path, capture_output=True, text=True
    )
    check(parsed(fleet_python, live.stdout))
    running.end()
    with pytest.raises(OSError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5)


@pytest.mark.parametrize(
    "target, words",
    [("absent/x.prom", "no file can be written there"), ("70000", "a number from 1 to 65535")],
)
def test_a_target_that_cannot_be_is_told_before_the_program_runs(tenure, tmp_path, target, words):
    command = [tenure, "run", "--metrics", target, "-o", "record", "--", "/bin/echo", "ran"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr


def test_a_port_that_is_taken_is_told(tenure, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [tenure, "run", "--metrics", port, "-o", "record", "--", "/bin/true"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "the port cannot be opened" in done.stderr
    assert not (tmp_path / "record").exists()


def test_the_program_is_alone_with_what_it_had(tenure, tmp_path):
    """No descriptor, no child: the same words as without metrics; a pipe's reader does not wait for the publisher."""
    ask = (
        "import os; print(sorted(os.listdir('/proc/self/fd')), "
        "open('/proc/self/task/%d/children' % os.getpid()).read())"
    )
    told: Dict[str, str] = {}
    for words in ([], ["--metrics", str(tmp_path / "x.prom")]):
        command = [
            tenure,
            "run",
            *words,
            "-o",
            str(tmp_path / "record"),
            "--",
            sys.executable,
            "-c",
            ask,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        told[" ".join(words[:1])] = done.stdout
    assert told[""] == told["--metrics"]
