"""Tenure's own heap for big blocks answers as glibc's does."""

from __future__ import annotations

import subprocess


def test_big_blocks_keep_the_contract(same, compile_program, programs):
    told = same([compile_program(programs / "big_blocks.c")])
    assert "lost 0, unaligned 0, too small 0, not zero 0" in told
    assert "2 GiB of zeros: block, lazy" in told
    assert "8 TiB: null errno 12" in told
    assert "errno changed 0 times" in told
    assert "given back" in told
    assert "storm: lost 0, children that failed 0" in told


def test_what_grows_keeps_its_bytes(same, env, programs):
    same([env("numpy"), programs / "grown.py"])


def test_what_no_machine_has_is_refused_and_zeros_are_lazy(same, env, programs):
    told = same([env("numpy"), programs / "refused.py"])
    assert "43 Unable to allocate" in told
    assert "lazy" in told


def test_an_array_of_jax_does_not_alias_what_it_would_copy(same, env, programs):
    assert same([env("jax"), programs / "aliased.py"]).split() == ["1.0"]


def test_big_blocks_are_ours_unless_tenure_only_observes(ways, compile_program, programs):
    commands = ways([compile_program(programs / "whose_heap.c")])
    said = {
        name: subprocess.run(words, capture_output=True, text=True).stdout.strip()
        for name, words in commands.items()
    }
    assert said == {"plain": "libc", "own heap": "own", "observed": "libc"}
