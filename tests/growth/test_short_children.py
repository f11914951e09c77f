"""Processes that are forked for one piece of work: what each of them made went with it."""

from __future__ import annotations

PROGRAM = """
import os
base = [i * i for i in range(200_000)]
total = 0
for n in range(60):
    reading, writing = os.pipe()
    if os.fork() == 0:
        rows = [base[i] + n for i in range(0, 200_000, 4)]
        os.write(writing, str(sum(rows) % 1000).encode())
        os._exit(0)
    os.close(writing)
    total += int(os.read(reading, 100))
    os.close(reading)
    os.wait()
print(total)
"""


def test_a_child_that_builds_one_list_and_ends_is_no_leak(run_tenure, env, tmp_path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    told = run_tenure(["run", "--", env("numpy"), "program.py"]).findings
    assert told["verdict"] == "clean", told["findings"]
