"""Heap snapshots of small programs: every holder is found and named, and the program notices nothing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ASKED, GROWTH, AT_EXIT, AT_ERROR = 5, 0, 1, 2
WALKED = ["3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15"]


def words_to(snapshot: Dict[str, Any], low: int, high: int) -> str:
    """The way to the one buffer of that size, as a person would read it."""
    found = [b for b in snapshot["buffers"] if low <= b["bytes"] < high]
    assert len(found) == 1, (low, found)
    way = found[0]["way"]
    assert way, "nothing leads to it"
    words = way[0]["word"]
    for step in way[1:]:
        if step["label"] not in (".__dict__", ".__closure__", ".cell_contents"):
            words += " " + step["label"]
    return words.rstrip()


def asked(snapshots: List[Dict[str, Any]]) -> Dict[str, Any]:
    found = [s for s in snapshots if s["reason"] == ASKED]
    assert len(found) == 1
    return found[0]


KINDS = {
    1: "module __main__ ['closure']  closure `held`",
    2: "module __main__ ['cached']  cached result",
    3: "module __main__ ['stored'] .__traceback__ .tb_next .tb_frame  local `batch`",
    6: "module __main__ ['default'] .__defaults__ [0]",
    7: "frame work() of kinds.py, thread loader-7  local `scratch`",
    8: "module __main__ ['losses'] [0]",
    9: "module __main__ ['by_name'] ['train']",
    10: "module __main__ ['by_name'] [12]",
    11: "module __main__ ['by_name'] [(1, 'a')]",
    12: "module __main__ ['recent'] [0]",
    14: "module __main__ ['slotted'] .buf",
    15: "module __main__ ['text']",
}


@pytest.mark.parametrize("version", WALKED)
def test_every_kind_of_holder_is_named(
    version: str, take: Callable[..., Any], python_of: Callable[[str], str]
) -> None:
    snapshot = asked(take(python_of(version), "kinds.py"))
    new_objects = version not in ("3.7", "3.8", "3.9", "3.10")

    def words(number: int) -> str:
        low = (100 + number) * 4096
        return words_to(snapshot, low, low + 4096)

    assert {number: words(number) for number in KINDS} == KINDS
    frame = "" if new_objects else " .gi_frame"
    assert words(4) == f"module __main__ ['running']{frame}  local `inside`"
    attribute = (lambda n: "." + n) if new_objects else (lambda n: f"['{n}']")
    assert words(5).endswith(attribute("payload")) and words(5).startswith("garbage")
    assert words(13).startswith("module __main__ ['local']  thread-local values [<")
    assert words(13).endswith("] ['scratch']")
    main = "frame main() of kinds.py, thread MainThread  local `loader` "
    assert words(16) == main + attribute("cache") + " [0]"
    assert words(17).startswith("module __main__ ['viewed'] ")


def test_each_object_of_a_crowd_is_found_once(take, python_of):
    snapshot = asked(take(python_of("3.11"), "crowd.py"))
    ways = [words_to(snapshot, n * 4096, (n + 1) * 4096) for n in (100, 101, 102, 110)]
    assert ways == [f"module __main__ ['crowd'] [{i}]" for i in (0, 1, 2, 200_000)]


def test_bounds_and_lengths_are_told(
    take: Callable[..., Any], python_of: Callable[[str], str]
) -> None:
    snapshot = asked(take(python_of("3.11"), "kinds.py"))
    steps = {s["label"]: s for b in snapshot["buffers"] for s in b["way"] or []}
    assert (steps["['recent']"]["length"], steps["['recent']"]["bound"]) == (1, 4)
    assert (steps["['cached']"]["length"], steps["['cached']"]["bound"]) == (1, 7)
    assert "bound" not in steps["['losses']"]


def test_arrays_views_and_object_arrays_lead_to_their_data(
    take: Callable[..., Any], env: Callable[[str], str]
) -> None:
    snapshot = asked(take(env("numpy"), "arrays.py"))

    def words(number: int) -> str:
        low = (1 << 20) + number * (1 << 16)
        return words_to(snapshot, low, low + (1 << 16))

    assert words(1).startswith("frame main() of arrays.py, thread MainThread  local `loader` ")
    assert words(2) == "module __main__ ['losses'] [0]"
    assert words(3) == "module __main__ ['heads'] ['first'] .base"
    assert words(4) == "module __main__ ['boxes'] [1]"
    assert words(5).startswith("module __main__ ['frozen'] .base")


@pytest.mark.parametrize("version", ["3.7", "3.11", "3.12", "3.13"])
def test_a_program_with_busy_threads_notices_nothing(
    version: str, take: Callable[..., Any], python_of: Callable[[str], str]
) -> None:
    snapshots = take(python_of(version), "busy.py", "20")
    assert len(snapshots) == 6, "the last six are kept"
    assert all(s["objects"] > 10000 for s in snapshots)


@pytest.mark.parametrize("version", ["3.7", "3.11", "3.13"])
def test_no_code_of_the_users_runs(
    version: str, take: Callable[..., Any], python_of: Callable[[str], str]
) -> None:
    snapshot = asked(take(python_of(version), "hostile.py"))
    assert words_to(snapshot, 500000, 600000) == "module __main__ ['held'] [<Hostile>]"


@pytest.mark.parametrize("version", ["3.8", "3.11", "3.12"])
def test_growth_is_seen_while_locals_live(
    version: str, take: Callable[..., Any], python_of: Callable[[str], str]
) -> None:
    snapshots = [s for s in take(python_of(version), "growing.py") if s["reason"] == GROWTH]
    assert snapshots
    blocks = [b for b in snapshots[-1]["buffers"] if b["bytes"] >= 1 << 20]
    assert len(blocks) >= 20
    for block in blocks:
        assert block["way"][0]["word"] == "frame main() of growing.py, thread MainThread"
        assert block["way"][1]["label"] == " local `kept`"


def test_an_uncaught_error_leaves_what_its_frames_held(
    run_tenure: Callable[..., Any],
    tool: str,
    tmp_path: Path,
    python_of: Callable[[str], str],
) -> None:
    program = tmp_path / "dies.py"
    program.write_text("def step():\n    batch = bytearray(900000)\n    1 / 0\nstep()\n")
    outcome = run_tenure(["run", "-o", "record", "--", python_of("3.11"), str(program)])
    assert outcome.returncode == 1
    names = sorted((tmp_path / "record").glob("snapshot.*"))
    text = subprocess.run([tool, str(names[-1])], check=True, stdout=subprocess.PIPE)
    lines = [json.loads(line) for line in text.stdout.decode().splitlines()]
    snapshot = {**lines[0], "buffers": lines[1:]}
    assert snapshot["reason"] == AT_ERROR
    assert words_to(snapshot, 900000, 910000).endswith(".tb_frame  local `batch`")


def test_what_was_asked_for_is_kept_while_others_make_room(take, python_of):
    reasons = [s["reason"] for s in take(python_of("3.11"), "asked_first.py")]
    assert len(reasons) == 6 and reasons[0] == ASKED and reasons.count(ASKED) == 2
