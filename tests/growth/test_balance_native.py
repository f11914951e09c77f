"""The balance of native programs, of loops so fast that they are sampled, and of memory nobody tracks (design 4.5)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict

import pytest
from balance_truth import MARK, cases, check_clean, check_leak, told

PROGRAMS = Path(__file__).parent / "programs"
SOURCE = (PROGRAMS / "balance.cpp").read_text(encoding="utf-8")
CASES = re.findall(r"CASE\((\w+)\)[,}]", SOURCE)
FIRST_CLEAN = CASES.index("loads_then_works")
LEAKS = [case + level for case in CASES[:FIRST_CLEAN] for level in ("-O0", "-O2")]
CLEAN = [case + level for case in CASES[FIRST_CLEAN:] for level in ("-O0", "-O2")]
NOT_YET = {
    "recursion-O0": "57 of 100 blocks are counted: the first 43 depths are missing",
}
OLD_LOOK = "the last look at resident memory is older than most of the growth: clean in some runs"
# Where the marked line of a case is, if it is not in the function of its name.
BELOW = {"functor": "struct Recorder", "event_loop": "struct Client", "recursion": "int descend"}

# name -> program, kept blocks of 1 to 16 KiB among many that go at once; NumPy's header counts little
FAST: Dict[str, str] = {
    "dict_of_arrays": """
cache = {}
for n in range(30_000):
    for k in range(140):
        np.empty(200 + (n + k) % 7 * 200)
    cache[n] = np.ones(128 + n * 7919 % 1920)  #= sum(8 * (128 + n * 7919 % 1920) for n in range(30_000))
""",
    "dicts_of_a_class": """
class Sessions:
    def __init__(self):
        self.users = {}
    def handle(self, n):
        body = bytes(1_024 + n * 7919 % 15_360)  #= sum(1_024 + n * 7919 % 15_360 for n in range(25_000))
        for k in range(230):
            bytearray(2_000 + k * 100)
        self.users.setdefault(n % 50, {})[n] = body
sessions = Sessions()
def serve():
    for n in range(25_000):
        sessions.handle(n)
serve()
""",
    "threads": """
import threading
seen = [{}, {}]
def worker(own):
    n = 0
    while n < 14_000:
        for k in range(190):
            bytes(1_500 + k * 64)
        own[n] = bytearray(1_024 + n * 7919 % 15_360)  #= 2 * sum(1_024 + n * 7919 % 15_360 for n in range(14_000))
        n += 1
threads = [threading.Thread(target=worker, args=(own,)) for own in seen]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""",
}

MAPPER = """
import ctypes, sys, time
library = ctypes.CDLL(sys.argv[1])
take = getattr(library, sys.argv[2])
take.restype, take.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.unmap.restype, library.unmap.argtypes = None, [ctypes.c_void_p, ctypes.c_size_t]
def step(n):
    area = take(10 << 20)  #= 20 * (10 << 20)
    sum(range(500_000))
    return area
for n in range(20):
    area = step(n)
    if sys.argv[3:]:
        library.unmap(area, 10 << 20)
"""


@pytest.fixture
def run_case(compile_program, run_tenure):
    def run(case: str, level: str):
        program = compile_program(PROGRAMS / "balance.cpp", f"-{level}", "-std=c++17")
        outcome = run_tenure(["run", "--", program, case])
        assert outcome.returncode == 0, outcome.stderr
        return outcome.findings

    return run


def only_case(case: str) -> str:
    """The source with the mark of this case alone."""
    lines = SOURCE.splitlines()
    start = next(n for n, text in enumerate(lines) if BELOW.get(case, f"void {case}()") in text)
    guilty = next(n for n in range(start, len(lines)) if MARK.search(lines[n]))
    kept = [text if n == guilty else text.split("//=")[0] for n, text in enumerate(lines)]
    return "\n".join(kept)


@pytest.mark.parametrize("case", cases(LEAKS, NOT_YET))
def test_native_growth_is_a_leak_in_any_style(case, run_case):
    name, level = case.split("-")
    check_leak(only_case(name), run_case(name, level), "balance.cpp")


@pytest.mark.parametrize("case", CLEAN)
def test_native_memory_that_is_reused_or_loaded_is_clean(case, run_case):
    check_clean(run_case(*case.split("-")))


@pytest.mark.parametrize("again", range(3))
@pytest.mark.parametrize("program", FAST)
def test_a_leak_in_a_fast_loop_is_seen_in_each_run(program, again, run_text):
    check_leak(*run_text(FAST[program]))


@pytest.fixture
def run_mapper(compile_program, env, run_tenure, tmp_path):
    library = compile_program(PROGRAMS / "mapper.c", "-shared", "-fPIC", name="libmapper.so")
    (tmp_path / "program.py").write_text(MAPPER)

    def run(*words: str):
        outcome = run_tenure(["run", "--", env("numpy"), "program.py", library, *words])
        assert outcome.returncode == 0, outcome.stderr
        return outcome.findings

    return run


@pytest.mark.parametrize(
    "way",
    cases(["libc", "kernel", "pieces", "thread"], {"kernel": OLD_LOOK, "thread": OLD_LOOK}),
)
def test_memory_that_nobody_tracks_is_never_called_clean(way, run_mapper):
    findings = run_mapper(f"map_by_{way}")
    if findings["verdict"] == "leak":  # it was seen after all
        check_leak(MAPPER, findings)
    else:
        assert findings["verdict"] == "unknown", told(findings)


@pytest.mark.parametrize("way", ["libc", "kernel", "thread"])
def test_mappings_that_are_given_back_are_clean(way, run_mapper):
    check_clean(run_mapper(f"map_by_{way}", "and_unmap"))
