"""`tenure run --guard`: a block that is used after its end stops the program, and all three lines are told."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any, Dict

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"
NASTY = PROGRAMS.parent.parent / "nasty" / "programs"


def line_of(source: str, role: str, mode: str = "") -> int:
    """The line whose comment says `role: mode`, else the one that says `role`."""
    lines = (PROGRAMS / source).read_text(encoding="utf-8").splitlines()
    for comment in (f"{role}: {mode}", role):
        found = [i for i, line in enumerate(lines, 1) if re.search(f"(//|#) {comment}$", line)]
        if found:
            return found[0]
    raise AssertionError(f"{source} has no line for {role}")


def roles_of(finding: Dict[str, Any]) -> Dict[str, int]:
    return {place["role"]: place["line"] for place in finding["where"]}


@pytest.fixture
def guarded(run_tenure):
    """guarded(command) -> Outcome of a run that ends by a signal or not."""
    return lambda *command: run_tenure(["run", "--guard", "--", *command])


MISTAKES = {
    "read": ("use-after-free", signal.SIGSEGV, ("created", "ended", "used")),
    "write": ("use-after-free", signal.SIGSEGV, ("created", "ended", "used")),
    "twice": ("double-free", signal.SIGABRT, ("created", "ended", "used")),
    "beyond": ("out-of-bounds", signal.SIGSEGV, ("created", "used")),
    "moved": ("use-after-free", signal.SIGSEGV, ("created", "ended", "used")),
}


@pytest.mark.parametrize("mode", MISTAKES)
def test_a_mistake_stops_the_program_at_its_line(guarded, compile_program, mode):
    kind, ended_by, roles = MISTAKES[mode]
    done = guarded(compile_program(PROGRAMS / "blocks.c"), mode)
    assert done.returncode == -ended_by, done.stderr
    assert done.findings["verdict"] == "lifetime-error"
    [finding] = done.findings["findings"]
    assert finding["kind"] == kind
    assert roles_of(finding) == {role: line_of("blocks.c", role, mode) for role in roles}


@pytest.mark.parametrize("size", [3000, 40_000])
def test_a_second_free_is_told_without_the_guard(run_tenure, compile_program, size):
    program = compile_program(PROGRAMS / "freed_twice.c")
    done = run_tenure(["run", "--", program, str(size)])
    assert done.returncode == -signal.SIGABRT, done.stderr
    assert done.findings["verdict"] == "lifetime-error"
    [finding] = done.findings["findings"]
    assert finding["kind"] == "double-free"
    assert finding["title"] == f"a block of {size} bytes was freed a second time"
    assert roles_of(finding) == {"used": line_of("freed_twice.c", "used")}
    assert "--guard" in finding["fix"]


def test_what_was_read_or_written_is_told(guarded, compile_program):
    program = compile_program(PROGRAMS / "blocks.c")
    titles = {mode: guarded(program, mode).findings["findings"][0]["title"] for mode in MISTAKES}
    assert titles["read"] == "byte 0 of a freed block of 16 bytes was read"
    assert titles["write"] == "byte 0 of a freed block of 16 bytes was written"
    assert titles["twice"] == "a block of 16 bytes was freed a second time"
    assert titles["beyond"] == "byte 32 of a block of 32 bytes was read"
    assert titles["moved"] == "byte 0 of a freed block of 3000 bytes was read"


def test_bytes_behind_the_end_are_noticed_when_the_block_is_freed(both, compile_program):
    pair = both([compile_program(PROGRAMS / "blocks.c"), "slack"], options=["--guard"])
    [finding] = pair.findings["findings"]
    assert finding["kind"] == "out-of-bounds"
    assert roles_of(finding) == {
        role: line_of("blocks.c", role, "slack") for role in ("created", "ended")
    }


@pytest.mark.parametrize("mode", ["grown", "view", "thread"])
def test_owners_of_cpp_that_went_too_early(guarded, compile_program, mode):
    done = guarded(compile_program(PROGRAMS / "owners.cpp"), mode)
    assert done.returncode == -signal.SIGSEGV, done.stderr
    [finding] = done.findings["findings"]
    assert finding["kind"] == "use-after-free"
    roles = roles_of(finding)
    assert roles["used"] == line_of("owners.cpp", "used", mode)
    if mode != "thread":
        assert roles["created"] == line_of("owners.cpp", "created", mode)
        assert roles["ended"] == line_of("owners.cpp", "ended", mode)


def test_an_array_whose_address_outlives_it(guarded, env):
    done = guarded(env("numpy"), "-X", "faulthandler", PROGRAMS / "address.py")
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert "Fatal Python error: Segmentation fault" in done.stderr, "its own handler ran too"
    [finding] = done.findings["findings"]
    assert finding["kind"] == "use-after-free"
    assert roles_of(finding) == {
        role: line_of("address.py", role) for role in ("created", "ended", "used")
    }
    assert "`levels`" in finding["fix"]
    assert "not guarded" in done.findings["losses"]["guard.python"]


def test_a_tensor_whose_address_outlives_it(guarded, env):
    done = guarded(env("torch"), PROGRAMS / "tensor.py")
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert done.stdout == "1.0\n"
    [finding] = done.findings["findings"]
    assert finding["kind"] == "use-after-free"
    assert roles_of(finding) == {
        role: line_of("tensor.py", role) for role in ("created", "ended", "used")
    }
    assert "`state`" in finding["fix"]


def test_a_child_does_not_take_its_parents_lines_for_its_own(guarded, compile_program):
    done = guarded(compile_program(PROGRAMS / "blocks.c"), "child")
    assert done.stdout == f"child ended by signal {int(signal.SIGSEGV)}\n"
    [finding] = done.findings["findings"]
    assert roles_of(finding) == {"used": line_of("blocks.c", "used", "child")}


@pytest.mark.parametrize("mode", ["own-handler", "sent", "no-mistake"])
def test_a_program_without_such_a_mistake_is_as_before(both, compile_program, mode):
    pair = both([compile_program(PROGRAMS / "blocks.c"), mode], options=["--guard"])
    assert pair.findings["findings"] == []


@pytest.mark.parametrize(
    "source, mode",
    [
        ("processes.c", "fork-malloc"),
        ("processes.c", "vfork-exec"),
        ("processes.c", "exec-chain"),
        ("processes.c", "fork-in-signal"),
        ("processes.c", "fork-out-of-signal"),
        ("cross_thread.cpp", ""),
        ("thread_locals.cpp", ""),
    ],
)
def test_nasty_programs_are_as_before(both, compile_program, source, mode):
    command = [compile_program(NASTY / source), *([mode] if mode else [])]
    pair = both(command, options=["--guard"])
    assert pair.findings["findings"] == []


def test_after_a_bad_access_the_guard_is_offered_and_then_a_debugger(run_tenure, compile_program):
    program = compile_program(PROGRAMS / "blocks.c")
    plain = run_tenure(["run", "--", program, "own-handler"])
    assert plain.returncode == -signal.SIGSEGV
    assert "try: `tenure run --guard`" in plain.stderr
    guarded = run_tenure(["run", "--guard", "--", program, "own-handler"])
    assert "try: a debugger" in guarded.stderr


def test_what_is_not_guarded_is_told(both, compile_program):
    pair = both([compile_program(PROGRAMS / "blocks.c"), "many"], options=["--guard"])
    assert "one in 16" in pair.findings["losses"]["guard.small"]


def test_observing_asks_for_nothing_that_the_guard_does_not_do(run_tenure, compile_program):
    program = compile_program(PROGRAMS / "blocks.c")
    done = run_tenure(["run", "--observe", "--guard", "--", program, "read"])
    assert done.returncode == -signal.SIGSEGV
    assert done.findings["findings"][0]["kind"] == "use-after-free"


def test_a_block_that_the_program_protects_itself_is_its_own_affair(both, compile_program):
    pair = both([compile_program(PROGRAMS / "protected.c")], options=["--guard"])
    assert pair.findings["findings"] == []


def test_the_steps_of_native_loops_are_counted_as_without(run_tenure, compile_program):
    program = compile_program(PROGRAMS / "kept.cpp")
    for options in (["--guard"], []):
        done = run_tenure(["run", *options, "--", program])
        [finding] = done.findings["findings"]
        assert finding["steps"] == 300, options
