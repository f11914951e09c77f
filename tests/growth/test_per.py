"""The unit growth is told in: the loop that makes it, by line and count; else the line itself.

Each program marks its loop with `#= N`; without such a mark no loop may be named.
"""

from __future__ import annotations

import re
from typing import Dict

import pytest

MARK = re.compile(r"(?:#|//)= (\d+)")

PYTHON: Dict[str, str] = {
    "for": """
kept = []
def train():
    for step in range(60):  #= 60
        kept.append(np.ones(40_000 + work()))
train()
""",
    "nested_loops_are_told_by_the_outer_one": """
kept = []
def train():
    for epoch in range(20):  #= 20
        for batch in range(7):
            kept.append(np.ones(20_000 + work()))
train()
""",
    "an_outer_loop_of_few_rounds_leaves_it_to_the_inner_one": """
kept = []
def train():
    for epoch in range(2):
        for batch in range(40):  #= 80
            kept.append(np.ones(20_000 + work()))
train()
""",
    "while": """
kept = []
def train():
    step = 0
    while step < 60:  #= 60
        kept.append(np.ones(40_000 + work()))
        step += 1
train()
""",
    "comprehension": """
kept = []
[kept.append(np.ones(40_000 + work())) for _ in range(60)]  #= 60
""",
    "a_helper_below_the_loop": """
kept = []
def remember(x):
    kept.append(x * (2 + work()))
def train():
    x = np.ones(40_000)
    for step in range(60):  #= 60
        remember(x)
train()
""",
    "driven_by_a_generator": """
kept = []
def batches():
    for n in range(60):
        yield np.ones(40_000) * n
def train():
    for batch in batches():  #= 60
        kept.append(batch + work())
train()
""",
    "two_loops_one_after_the_other": """
kept = []
def warm():
    for step in range(90):
        np.ones(40_000)
def train():
    for step in range(60):  #= 60
        kept.append(np.ones(40_000 + work()))
warm()
train()
""",
    "in_a_thread": """
import threading
kept = []
def serve():
    for step in range(60):  #= 60
        kept.append(np.ones(40_000 + work()))
thread = threading.Thread(target=serve)
thread.start()
thread.join()
""",
    "a_callback_inside_a_loop": """
kept = []
def train():
    for step in range(60):  #= 60
        list(map(lambda n: kept.append(np.ones(10_000 + work())), range(4)))
train()
""",
}

# No loop of the user's comes round: the line is the unit.
WITHOUT_LOOP: Dict[str, str] = {
    "a_callback": """
kept = []
def callback(n):
    kept.append(np.ones(40_000))  # run
    return n
sorted(range(60), key=callback)
""",
    "recursion": """
kept = []
def descend(depth):
    kept.append(np.ones(40_000))  # run
    if depth:
        descend(depth - 1)
descend(60)
""",
}

NO_LOOP = """
kept = []
kept.append(np.ones(40_000))
kept.append(np.ones(40_000))
kept.append(np.ones(40_000))
"""

NATIVE = """
#include <cstdlib>
#include <cstring>
#include <vector>
static std::vector<char*> kept;
__attribute__((noinline)) void remember(size_t bytes) {
  char* p = static_cast<char*>(std::malloc(bytes));
  std::memset(p, 1, bytes);
  kept.push_back(p);
}
int main(int argc, char**) {
  for (int step = 0; step < 60 * argc; ++step) {  //= 60
    remember(300000);
  }
}
"""


def line_of(text: str, what: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if what in line)


@pytest.mark.parametrize("shape", PYTHON)
def test_growth_is_told_per_round_of_its_loop(shape, run_text):
    text, findings = run_text(PYTHON[shape])
    assert findings["verdict"] == "leak"
    finding = findings["findings"][0]
    assert finding["per"] == f"iteration of program.py:{line_of(text, '#= ')}"
    assert finding["steps"] == int(MARK.search(text).group(1))
    assert finding["bytes_per_step"] * finding["steps"] == pytest.approx(finding["bytes"], rel=0.05)


@pytest.mark.parametrize("shape", WITHOUT_LOOP)
def test_where_no_loop_comes_round_none_is_named(shape, run_text):
    text, findings = run_text(WITHOUT_LOOP[shape])
    pers = [finding["per"] for finding in findings["findings"]]
    assert set(pers) <= {f"run of program.py:{line_of(text, '# run')}"}


def test_a_program_without_a_loop_has_no_growth(run_text):
    _, findings = run_text(NO_LOOP)
    assert findings["verdict"] == "clean"
    assert findings["findings"] == []


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_native_growth_is_told_per_round_of_its_loop(level, compile_program, run_tenure, tmp_path):
    source = tmp_path / "program.cpp"
    source.write_text(NATIVE)
    outcome = run_tenure(["run", "--", compile_program(source, level)])
    assert outcome.findings["verdict"] == "leak"
    finding = outcome.findings["findings"][0]
    assert finding["per"] == f"iteration of program.cpp:{line_of(NATIVE, '//= ')}"
    assert finding["steps"] == 60
