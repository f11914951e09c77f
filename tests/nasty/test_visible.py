"""What a program can see of itself: descriptors, threads, arguments, standard input."""

from __future__ import annotations

import os
import subprocess

import pytest


@pytest.mark.parametrize("mode", ["list", "close-all", "maps"])
def test_descriptors_threads_and_signals_are_as_before(both, compiled, mode):
    both([compiled("descriptors.c"), mode])


def test_standard_input_arrives(both, compiled):
    text = os.urandom(300_000)
    assert both([compiled("descriptors.c"), "copy"], stdin=text).plain.stdout == text


def test_arguments_are_as_typed(both, compiled):
    both([compiled("descriptors.c"), "arguments", "", "--", "-o", "a b", "--json", "é"])


def test_the_name_is_as_typed(tenure, compiled, tmp_path):
    folder, name = os.path.split(compiled("descriptors.c"))
    environ = {**os.environ, "PATH": folder + ":" + os.environ["PATH"]}
    done = subprocess.run(
        [tenure, "run", "-o", str(tmp_path / "r"), name, "arguments", "--", "x"],
        env=environ,
        capture_output=True,
    )
    assert done.stdout.decode().split("\n") == [name, "arguments", "--", "x", ""]


@pytest.mark.parametrize("mode", ["short", "small", "keys"])
def test_threads_that_come_and_go(both, compiled, mode):
    """`short`: 10,000 of them beside two that stay."""
    pair = both([compiled("threads.c"), mode])
    assert pair.findings["memory"]["live_bytes"] < 1 << 20
    assert pair.findings["verdict"] == "clean"


def test_objects_of_threads_that_allocate_while_they_end(both, compiled):
    pair = both([compiled("thread_locals.cpp")])
    assert pair.plain.stdout == b"bad: 0\n"
    assert pair.findings["verdict"] == "clean"


def test_a_loop_in_a_static_destructor_is_no_growth_of_the_run(both, compiled):
    pair = both([compiled("static_destructor.cpp")])
    assert pair.plain.stdout == b"held: 50\n"
    assert pair.findings["findings"] == []


def test_closed_standard_descriptors_stay_closed(tenure, compiled, tmp_path):
    program = compiled("descriptors.c")
    plain, traced = tmp_path / "plain", tmp_path / "traced"
    run = f"{tenure} run -o {tmp_path / 'r'} --"
    for prefix, out in (("", plain), (run, traced)):
        # 2 and 0 are closed: neither may become a file of ours in the program, nor in the supervisor
        subprocess.run(f"{prefix} {program} list >{out} 2>&- <&-", shell=True, check=True)
    assert traced.read_bytes() == plain.read_bytes()
    assert (tmp_path / "r" / "run.json").exists()
