"""The heap answers as it does without Tenure, and what the program held is counted."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

MIB = 1 << 20


def test_every_answer_of_the_malloc_family_is_the_same(both, compiled):
    pair = both([compiled("heap_contract.c")])
    assert b"errno changed: 0 times" in pair.plain.stdout


def test_what_libc_says_of_the_heap_counts_all_blocks(both, compiled):
    pair = both([compiled("heap_figures.c")])
    assert pair.traced.stdout == b"held 1, reported 1, after 1, usable 1\n"
    assert pair.findings["memory"]["live_bytes"] < MIB


def test_mappings_end_piece_by_piece(both, compiled):
    pair = both([compiled("maps.c")])
    assert pair.findings["memory"]["live_bytes"] < MIB


def test_a_limit_of_address_space_is_felt_where_it_was(both, compiled):
    both([compiled("limits.c")])


def test_a_limit_that_was_there_before_is_felt_where_it_was(both, compiled):
    program = compiled("limits.c", "-DINHERITED")
    both(["/bin/sh", "-c", f"ulimit -v 600000; exec {program}"])


def test_a_limit_around_the_supervisor_is_felt_where_it_was(tenure, compiled, tmp_path):
    program = compiled("limits.c", "-DINHERITED")
    run = f"{tenure} run -o {tmp_path / 'r'} --json {tmp_path / 'j'} --"
    plain, traced = (
        subprocess.run(
            ["/bin/sh", "-c", f"ulimit -S -v 600000; {prefix} {program}"], capture_output=True
        )
        for prefix in ("", run)
    )
    assert traced.stdout == plain.stdout
    assert (tmp_path / "j").exists()


@pytest.mark.parametrize("mode", ["realloc", "late"])
def test_what_is_held_survives_refusals_near_a_limit(both, compiled, mode):
    both([compiled("near_limit.c"), mode])


def test_freed_memory_does_not_add_up_to_a_kill(both, compiled, small_cgroup):
    def join() -> None:
        small_cgroup.write_text(str(os.getpid()))

    assert both([compiled("near_limit.c"), "cgroup"], preexec_fn=join).plain.stdout == b"lived\n"


def test_blocks_that_other_threads_end_leave_nothing_behind(both, compiled):
    pair = both([compiled("cross_thread.cpp")])
    memory = pair.findings["memory"]
    assert 3 * MIB <= memory["live_bytes"] < 3 * MIB + 128 * 1024
    assert memory["peak_bytes"] > 3 * MIB + 2000 * 3000
    assert "untracked_births" not in pair.findings["losses"]


def test_a_heap_of_the_program_itself_is_unharmed_and_told(both, compiled):
    pair = both([compiled("own_malloc.c")])
    assert pair.findings["verdict"] == "unknown"
    assert "own malloc" in pair.findings["reason"]
    assert "own malloc" in pair.findings["losses"]["heap"]


def test_a_heap_of_the_program_that_hands_on_is_seen(both, compiled):
    pair = both([compiled("own_malloc.c"), "next"])
    assert "heap" not in pair.findings["losses"]
    assert pair.findings["memory"]["peak_bytes"] >= 20000


@pytest.mark.parametrize("mode", ["malloc", "mmap"])
def test_a_storm_of_signals_that_allocate_is_weathered(both, compiled, mode):
    heap = compiled("safe_heap.c", "-shared", "-fPIC", name="libsafe_heap.so")
    environ = {"LD_PRELOAD": heap} if mode == "malloc" else {}
    pair = both([compiled("signals.c"), mode], environ=environ)
    assert pair.plain.stdout == b"weathered\n"


def test_what_was_held_is_shown_by_site(both, compiled, tenure):
    pair = both([compiled("cross_thread.cpp")])
    shown = subprocess.run([tenure, "show", "--sites", str(pair.record)], capture_output=True)
    assert re.search(r"cross_thread\.cpp:\d+", shown.stdout.decode())
