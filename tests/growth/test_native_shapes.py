"""Native programs of shapes that nobody prepared Tenure for, each with a clean twin and figures known by construction."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict

import pytest

PROGRAMS = Path(__file__).parent / "programs"
ROUNDS = 400
BYTES = 20_000


def line_of(program: str, mark: str = "made") -> int:
    lines = (PROGRAMS / program).read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.endswith("// " + mark))


def leak_of(done: Any) -> Dict[str, Any]:
    assert done.findings["verdict"] == "leak", done.stderr
    [leak] = [f for f in done.findings["findings"] if f["severity"] == "leak"]
    return leak


def check_amount(leak: Dict[str, Any], rounds: int, size: int) -> None:
    assert leak["bytes"] == pytest.approx(rounds * size, rel=0.02), leak
    assert leak["bytes_per_step"] == pytest.approx(size, rel=0.02), leak
    assert leak["steps"] == pytest.approx(rounds, rel=0.02), leak


# -g0: names of functions are left; -s: nothing is.
@pytest.mark.parametrize("way", ["loop", "threads"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("symbols", ["-g0", "-s"])
def test_a_leak_is_found_without_debug_information(
    symbols: str, level: str, way: str, compile_program, run_tenure
) -> None:
    program = compile_program(PROGRAMS / "kept_buffers.cpp", symbols, level, "-std=c++17")
    leak = leak_of(run_tenure(["run", "--", program, "leak", way]))
    check_amount(leak, ROUNDS, BYTES)
    [place] = leak["where"][:1]
    assert place["file"] == program and not place["line"], place
    assert place["function"].startswith("put" if symbols == "-g0" else "+0x"), place
    assert leak["per"] == f"block of {place['function']} ({Path(program).name})"
    clean = run_tenure(["run", "--", program, "clean", way])
    assert clean.findings["verdict"] == "clean", clean.stderr


def test_a_segment_without_a_name_goes_with_its_mapping(compile_program, run_tenure) -> None:
    program = compile_program(PROGRAMS / "unlinked_segments.c", "-lrt")
    leak = leak_of(run_tenure(["run", "--", program, "leak"]))
    check_amount(leak, 300, 100_000)
    assert leak["where"][0]["line"] == line_of("unlinked_segments.c")
    clean = run_tenure(["run", "--", program, "clean"])
    assert clean.findings["verdict"] == "clean", clean.stderr
    assert not clean.findings["findings"]


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
def test_calls_that_are_inlined_stand_on_their_line(
    level: str, compile_program, run_tenure
) -> None:
    name = "closing_braces.cpp"
    program = compile_program(PROGRAMS / name, level, "-std=c++17", "-fbuiltin")
    done = run_tenure(["run", "--", program, "leak"])
    assert done.findings["verdict"] == "leak", done.stderr
    leaks = [f for f in done.findings["findings"] if f["severity"] == "leak"]
    made = {f["where"][0]["line"]: f["bytes_per_step"] for f in leaks}
    expected = {line_of(name, "made"): 28_000, line_of(name, "captured"): 40_000}
    assert made == pytest.approx(expected, rel=0.02), done.stderr
    clean = run_tenure(["run", "--", program, "clean"])
    assert clean.findings["verdict"] == "clean", clean.stderr


def test_a_heap_of_the_programs_own_is_never_clean_where_it_grows(
    compile_program, run_tenure
) -> None:
    program = compile_program(PROGRAMS / "own_heap.c")
    done = run_tenure(["run", "--", program, "leak"])
    assert done.findings["verdict"] == "unknown", done.stderr
    assert "whose blocks are not seen" in done.findings["reason"]
    clean = run_tenure(["run", "--", program, "clean"])
    assert clean.findings["verdict"] == "clean", clean.stderr


# What comes after the warm-up costs little: a third of the run, and no block.
def test_a_pool_that_has_enough_is_no_leak(compile_program, run_tenure) -> None:
    program = compile_program(PROGRAMS / "pool_of_objects.cpp", "-O2", "-std=c++17", "-fbuiltin")
    leak = leak_of(run_tenure(["run", "--", program, "leak"]))
    check_amount(leak, 500, 8192)
    clean = run_tenure(["run", "--", program, "clean"])
    assert clean.findings["verdict"] == "clean", clean.stderr


def test_the_line_in_rust_is_the_users(run_tenure, tmp_path) -> None:
    if not shutil.which("rustc"):
        pytest.skip("no rustc on this machine")
    source, program = PROGRAMS / "kept_in_rust.rs", tmp_path / "kept_in_rust"
    words = ["rustc", "-g", "-O", "--edition", "2021", "-o", str(program), str(source)]
    subprocess.run(words, check=True, capture_output=True)
    leak = leak_of(run_tenure(["run", "--", program, "leak"]))
    check_amount(leak, ROUNDS, BYTES)
    place = leak["where"][0]
    assert (Path(place["file"]).name, place["line"]) == (source.name, line_of(source.name))
    assert place["function"] == "kept_in_rust::put"
    clean = run_tenure(["run", "--", program, "clean"])
    assert clean.findings["verdict"] == "clean", clean.stderr


# A loop that makes a block in few of its rounds is seen in these alone: its rounds tell no pace.
def test_a_cache_that_fills_ever_more_slowly_is_no_leak(compile_program, run_tenure) -> None:
    program = compile_program(PROGRAMS / "few_births.cpp", "-O2", "-std=c++17")
    clean = run_tenure(["run", "--", program, "cache"])
    assert clean.findings["verdict"] == "clean", clean.stderr
    leak = leak_of(run_tenure(["run", "--", program, "leak"]))
    assert leak["bytes"] == pytest.approx(500 * 100_000, rel=0.02), leak
    assert leak["where"][0]["line"] == line_of("few_births.cpp")


def test_small_blocks_of_a_native_loop_are_told_by_the_runs_of_their_line(
    compile_program, run_tenure
) -> None:
    program = compile_program(PROGRAMS / "few_births.cpp", "-O2", "-std=c++17")
    leak = leak_of(run_tenure(["run", "--", program, "small"]))
    assert leak["bytes"] == pytest.approx(200_000 * 40, rel=0.2), leak
    assert leak["bytes_per_step"] == pytest.approx(40, rel=0.1), leak
    assert leak["steps"] == pytest.approx(200_000, rel=0.2), leak
    assert "steps" in leak["about"], leak
