"""Children, execs and spawns go on as they do without Tenure, and join the record."""

from __future__ import annotations

import pytest

MODES = [
    "fork-exit",
    "fork-malloc",
    "fork-again",
    "vfork-exec",
    "raw-clone",
    "clone-vm",
    "spawn-empty",
    "exec-empty",
    "exec-cleared",
    "exec-chain",
    "failed-exec",
    "shells",
    "wait-any",
    "fork-in-signal",
    "fork-out-of-signal",
]


@pytest.mark.parametrize("mode", MODES)
def test_nothing_changes(both, compiled, mode):
    pair = both([compiled("processes.c"), mode])
    assert pair.findings["losses"].get("recording") is None


@pytest.mark.parametrize(
    ("mode", "processes"),
    [
        ("fork-malloc", 9),
        ("fork-again", 4),
        ("raw-clone", 3),
        ("spawn-empty", 3),
        ("exec-empty", 2),
    ],
)
def test_children_that_allocate_join_the_record(both, compiled, mode, processes):
    pair = both([compiled("processes.c"), mode])
    assert pair.findings["program"]["processes"] == processes


def test_a_chain_of_execs_is_seen_to_its_end(both, compiled):
    pair = both([compiled("processes.c"), "exec-chain", "5"])
    assert pair.plain.code == 6
    assert pair.findings["program"]["processes"] == 6


def test_a_preload_of_the_program_itself_is_kept_beside_ours(both, compiled):
    library = compiled("interposer.c", "-shared", "-fPIC", name="libinterposer.so")
    pair = both([compiled("processes.c"), "exec-with-preload", library])
    assert b"preload names it: 1, mapped: 1, mark: here" in pair.plain.stdout
    assert pair.findings["program"]["processes"] == 2
