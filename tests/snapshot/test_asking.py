"""Questions while the program runs and afterwards: tenure.holders(), show --now, show --path, and memory that ends."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

HERE = Path(__file__).resolve().parent
SOME = ["3.7", "3.11", "3.13"]


def run(tenure: str, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    words = [tenure, "run", "-o", "record", "--json", "findings.json", "--", *command]
    return subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8", timeout=180)


def show(tenure: str, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    words = [tenure, "show", *args]
    return subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8", timeout=120)


@pytest.mark.parametrize("version", SOME)
def test_holders_are_told_at_once(tenure, tmp_path, python_of, version):
    done = run(tenure, tmp_path, python_of(version), str(HERE / "asking.py"))
    assert done.returncode == 0, done.stderr[-2000:]
    told = done.stdout
    listed = "488 KiB, held by global bytearray `losses[0]` of asking.py"
    assert told.startswith(listed), told
    assert told.count(listed) == 2, "a view of it is held by the same name"
    assert "global `losses`  (list, 1 items)\n      [0]  (bytearray)" in told
    assert "391 KiB, held by attribute `cache['first']` of `Loader`, held by local `loader`" in told
    assert "local `loader` of main()  (Loader)\n      attribute `cache`  (dict, 1 items)" in told
    assert "this object lends no memory" in told
    assert "only the expression itself holds it" in told
    assert done.stderr.count("tenure: 488 KiB") == 2, "said at once, on stderr"


def test_holders_without_tenure_is_one_sentence(tmp_path, python_of, root):
    command = [python_of("3.11"), str(HERE / "asking.py")]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(root / "python")}, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0
    assert set(done.stdout.splitlines()) == {"who holds this is known only under `tenure run`"}


def test_holders_of_arrays_and_tensors(tenure, tmp_path, env):
    program = tmp_path / "ask.py"
    program.write_text(
        "import numpy, tenure, torch\n"
        "kept = [numpy.ones((300, 300))]\n"
        "weights = {'w': torch.ones(300, 400)}\n"
        "tenure.holders(kept[0].T[::2])\n"
        "tenure.holders(weights['w'])\n"
        "print('fine')\n"
    )
    done = run(tenure, tmp_path, env("torch"), str(program))
    assert done.stdout == "fine\n"
    assert "tenure: 703 KiB, held by global list `kept` of ask.py" in done.stderr
    assert "tenure: 469 KiB, held by global dict `weights` of ask.py" in done.stderr


def blocks_listed(text: str) -> List[str]:
    return re.findall(r"\bb\d+\.\d+\b", text)


def test_one_path_to_a_listed_block(tenure, tmp_path, python_of):
    done = run(tenure, tmp_path, python_of("3.11"), str(HERE / "kinds.py"))
    assert done.returncode == 0
    listed = show(tenure, tmp_path, "record", "--holders").stdout
    ids = blocks_listed(listed)
    assert len(ids) >= 5, listed
    paths = [show(tenure, tmp_path, "record", "--path", block) for block in ids]
    assert all(path.returncode == 0 for path in paths)
    assert all(f"block {block}: " in path.stdout for block, path in zip(ids, paths))
    together = "".join(path.stdout for path in paths)
    assert "made at " in together and "module __main__" in together
    none = show(tenure, tmp_path, "record", "--path", "b99.1")
    assert none.returncode == 2 and "no block b99.1" in none.stderr
    assert show(tenure, tmp_path, "record", "--path", "nonsense").returncode == 2


@pytest.fixture
def serving(tenure: str, tmp_path: Path, python_of: Callable[[str], str]) -> Any:
    """A program that runs until its standard input ends."""
    command = [tenure, "run", "-o", "record", "--", python_of("3.11"), str(HERE / "serving.py")]
    program = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout and program.stdin
    for _ in range(30):
        assert program.stdout.readline() == "more\n"
    yield program
    program.stdin.close()
    assert program.stdout.read() == "fine\n", "it noticed nothing"
    program.stdout.close()
    assert program.wait(60) == 0


def child_of(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0])


@pytest.mark.parametrize("by", ["record", "process"])
def test_a_running_program_is_asked(tenure, tmp_path, serving, by):
    name = "record" if by == "record" else str(child_of(serving.pid))
    folder = tmp_path if by == "record" else tmp_path / ".."
    done = show(tenure, folder, "--now", name)
    assert done.returncode == 0, done.stderr
    assert "global dict `requests` of serving.py (30 items)" in done.stdout
    assert "so far" in done.stdout


def test_asking_what_does_not_run_is_a_sentence(tenure, tmp_path, python_of):
    assert run(tenure, tmp_path, python_of("3.11"), str(HERE / "growing.py")).returncode == 0
    ended = show(tenure, tmp_path, "--now", "record")
    assert ended.returncode == 2 and "has ended; leave --now out" in ended.stderr
    alone = show(tenure, tmp_path, "--now", "1")
    assert alone.returncode == 2 and "not running under `tenure run`" in alone.stderr


def snapshots_of(folder: Path, tool: str) -> List[Dict[str, Any]]:
    import json

    found = []
    for path in sorted(folder.glob("record/snapshot.*"), key=lambda p: int(p.name.split(".")[-1])):
        text = subprocess.run([tool, str(path)], check=True, stdout=subprocess.PIPE).stdout.decode()
        lines = [json.loads(line) for line in text.splitlines()]
        found.append({**lines[0], "buffers": lines[1:]})
    return found


OUT_OF_MEMORY = 3


@pytest.mark.parametrize("version", SOME)
def test_a_caught_memory_error_shows_what_was_held(tenure, tmp_path, python_of, tool, version):
    check_what_was_held(tenure, tmp_path, tool, python_of(version), "limit")


def test_a_caught_error_of_torch_shows_what_was_held(tenure, tmp_path, env, tool):
    check_what_was_held(tenure, tmp_path, tool, env("torch"), "torch")


def check_what_was_held(tenure: str, folder: Path, tool: str, python: str, mode: str) -> None:
    done = run(tenure, folder, python, str(HERE / "refused.py"), mode)
    assert done.stdout == "True\nfine\n", done.stderr[-2000:]
    found = [s for s in snapshots_of(folder, tool) if s["reason"] == OUT_OF_MEMORY]
    assert found
    blocks = [b for b in found[-1]["buffers"] if b["bytes"] >= 4 << 20]
    assert len(blocks) > 10
    assert {b["way"][1]["label"] for b in blocks} == {" local `kept`"}


def test_a_request_far_beyond_what_is_held_is_only_a_try(tenure, tmp_path, python_of, tool):
    done = run(tenure, tmp_path, python_of("3.11"), str(HERE / "refused.py"), "probe")
    assert done.stdout == "True\nfine\n"
    assert not [s for s in snapshots_of(tmp_path, tool) if s["reason"] == OUT_OF_MEMORY]


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp")
def test_a_program_that_may_not_fork_any_more_is_told(run_tenure, tmp_path, python_of):
    outcome = run_tenure(
        ["run", "-o", "record", "--", python_of("3.11"), str(HERE / "no_processes.py")]
    )
    assert outcome.stdout == "fine\n", outcome.stderr
    assert "the program locked itself in" in outcome.findings["losses"]["sandbox"]


def test_a_program_that_may_not_fork_from_its_start_is_told(
    run_tenure, tmp_path, python_of, compile_program
):
    start = compile_program(HERE / "may_not_fork.c", "-static")
    program = tmp_path / "asks.py"
    program.write_text(
        "import tenure\n"
        "held = [bytearray(300000) for _ in range(5)]\n"
        "assert not tenure.snapshot()\n"
        "assert not tenure.snapshot()\n"
        "print('fine')\n"
    )
    outcome = run_tenure(["run", "--", start, python_of("3.11"), str(program)])
    assert outcome.stdout == "fine\n", outcome.stderr
    assert "the system refused a copy of the program" in outcome.findings["losses"]["snapshots"]


def test_small_views_of_big_arrays_are_told_with_the_line_that_keeps_them(
    run_tenure, tmp_path, env
):
    program = tmp_path / "views.py"
    program.write_text(
        "import numpy as np\n"
        "heads = []\n"
        "for i in range(60):\n"
        "    big = np.tanh(np.random.rand(256, 128))\n"
        "    heads.append(big[:1])\n"
        "print('fine')\n"
    )
    outcome = run_tenure(["run", "-o", "record", "--", env("numpy"), str(program)])
    assert outcome.stdout == "fine\n"
    finding = outcome.findings["findings"][0]
    assert finding["kind"] == "retained-view"
    assert finding["holder"]["text"].startswith("views in global list `heads` of views.py")
    kept = [place for place in finding["where"] if place["role"] == "kept at"]
    assert [(place["line"], place["function"]) for place in kept] == [(5, "<module>")]
    assert finding["where"][0]["role"] == "made at"
