"""A `tenure run` inside a `tenure run` joins the outer one; all processes are in one record."""

from __future__ import annotations

import os
import subprocess
import sys

MIB = 1 << 20


def test_a_run_inside_a_run_joins_it(run_tenure, tenure, tmp_path):
    inner = [
        tenure,
        "run",
        "-o",
        "inner.tenure",
        "--",
        sys.executable,
        "-c",
        "b = bytearray(50 << 20)",
    ]
    outcome = run_tenure(["run", "-o", "outer.tenure", "--", *inner])
    assert outcome.returncode == 0
    assert not (tmp_path / "inner.tenure").exists()
    assert outcome.stderr.count("tenure: ") == 1
    assert outcome.findings["memory"]["peak_bytes"] >= 50 * MIB
    assert outcome.findings["program"]["python"]


def test_exit_codes_come_through_both(run_tenure, tenure):
    inner = [tenure, "run", "--", "/bin/sh", "-c", "exit 7"]
    assert run_tenure(["run", "--", *inner]).returncode == 7


def test_a_leftover_address_of_a_dead_run_is_no_run(run_tenure, tmp_path):
    leftover = {"TENURE_SOCKET": "tenure-of-somebody-long-gone", "TENURE_MAIN_PID": "1"}
    outcome = run_tenure(["run", "-o", "own.tenure", "/bin/true"], environ=leftover)
    assert outcome.returncode == 0
    assert (tmp_path / "own.tenure" / "run.json").exists()


def test_many_short_children_are_recorded_and_let_go(run_tenure, tmp_path):
    script = (
        "import os\n"
        "for i in range(60):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        b = bytearray(1 << 20)\n"
        "        os._exit(0)\n"
        "    os.waitpid(pid, 0)\n"
    )
    outcome = run_tenure(["run", "-o", "r", "--", sys.executable, "-c", script])
    assert outcome.returncode == 0
    assert outcome.findings["program"]["processes"] == 61
    assert len([name for name in os.listdir(tmp_path / "r") if name.startswith("ledger.")]) == 61


def test_python_of_the_main_process_is_told_whatever_its_children_are(run_tenure):
    child = "dd if=/dev/zero of=/dev/null bs=2M count=1 2>/dev/null"
    script = f"import subprocess; subprocess.run({child!r}, shell=True)"
    outcome = run_tenure(["run", "--", sys.executable, "-c", script])
    assert outcome.findings["program"]["python"] == "%d.%d.%d" % sys.version_info[:3]
    assert outcome.findings["program"]["processes"] == 2


def test_an_older_record_is_replaced_and_other_files_are_left(tenure, tmp_path):
    record = tmp_path / "r"
    record.mkdir()
    (record / "mine.txt").write_text("mine")
    keeps = "import tenure; kept = [bytes(1 << 20) for _ in range(8)]; tenure.snapshot()"
    for _ in range(2):
        command = [tenure, "run", "-o", str(record), sys.executable, "-c", keeps]
        subprocess.run(command, check=True)
    names = os.listdir(record)
    assert "mine.txt" in names
    for part in ("ledger.", "snapshot."):
        assert len({name.split(".")[1] for name in names if name.startswith(part)}) == 1, names


def test_a_program_that_cannot_start_costs_no_files(tenure, tmp_path):
    record = tmp_path / "r"
    record.mkdir()
    (record / "mine.txt").write_text("mine")
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF not a program")
    broken.chmod(0o755)
    done = subprocess.run([tenure, "run", "-o", str(record), str(broken)], capture_output=True)
    assert done.returncode == 126
    assert (record / "mine.txt").read_text() == "mine"
