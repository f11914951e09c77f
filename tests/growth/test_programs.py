"""The leak test on real programs: each shape of memory over time, with its verdict and its words."""

from __future__ import annotations

import pytest

LEAK = """
kept = []
for step in range(100):
    kept.append(np.ones(20_000 + work()))
"""

TWO_LEAKS = """
pictures, losses = [], []
def train():
    for step in range(100):
        pictures.append(np.ones(20_000 + work()))
        losses.append(np.zeros(30_000) + step)
train()
"""

EVERY_FIFTIETH = """
kept = []
for step in range(1600):
    np.ones(2_000)
    if step % 50 == 0:
        kept.append(np.ones(40_000 + work()))
"""

LATE_START = """
kept = []
for step in range(200):
    np.ones(2_000 + work())
    if step > 80:
        kept.append(np.ones(20_000))
"""

ENDS_WITH_MAIN = """
def main():
    kept = []
    for step in range(100):
        kept.append(np.ones(20_000 + work()))
    return len(kept)
main()
"""

GROWING_BLOCK = """
history = np.zeros(0)
for step in range(100):
    history = np.concatenate([history, np.ones(5_000 + work())])
"""

GROWING_IN_TURN = """
track = np.zeros(0)
for step in range(100):
    track = np.concatenate([track, np.ones(5_000 + work())])
    track = track - track.mean()
"""

FINER_EACH_TIME = """
for step in range(60):
    x = np.arange(20_000 + 2_000 * step + work())
    x = np.concatenate([x, x])
"""

TEXT_OF_EACH_TIME = """
import io
for step in range(60):
    text = io.StringIO()
    for line in range(1_000 + 400 * step):
        text.write("line %d of a report" % line)
    text.getvalue()
"""

BACKLOG = """
import collections
waiting = collections.deque()
for step in range(200):
    waiting.append(np.ones(20_000 + work()))
    if step % 2:
        waiting.popleft()
"""

WARM_UP = """
def train():
    weights = [np.ones(50_000 + work()) for _ in range(20)]
    for step in range(200):
        weights[step % 20] * (2 + work())
train()
"""

FILLED_CACHE = """
cache = {}
def lookup(key):
    if key not in cache:
        cache[key] = np.ones(20_000)
    return cache[key]
for step in range(300):
    lookup(step % 40) * (1 + work())
"""

BOUNDED_BUFFER = """
import collections
recent = collections.deque(maxlen=30)
for step in range(300):
    recent.append(np.ones(20_000 + work()))
"""

SAW_TOOTH = """
batch = []
for step in range(205):
    batch.append(np.ones(20_000 + work()))
    if len(batch) == 60:
        batch.clear()
"""

LOADS_THEN_ENDS = """
import io
text = "\\n".join("1.5 " * 100 for _ in range(2_000))
table = np.loadtxt(io.StringIO(text))
print(table.sum() + work())
"""

CLEAN_LOOP = """
total = 0.0
for step in range(200):
    total += np.ones(20_000 + work()).sum()
"""

TOO_SHORT = """
kept = []
for step in range(5):
    kept.append(np.ones(300_000 + work()))
"""


@pytest.mark.parametrize("text", [LEAK, LATE_START, ENDS_WITH_MAIN], ids=["leak", "late", "main"])
def test_what_stays_step_by_step_is_a_leak(text, run_text):
    lines, findings = run_text(text)
    assert findings["verdict"] == "leak"
    (leak,) = findings["findings"]
    assert leak["kind"] == "retained-python"
    assert leak["severity"] == "leak"
    assert leak["bytes_per_step"] == pytest.approx(160_000, rel=0.02)
    assert text is ENDS_WITH_MAIN or "`kept`" in leak["holder"]["text"]
    assert "kept.append" in lines.splitlines()[leak["where"][0]["line"] - 1]


def test_two_leaks_at_once_are_two_findings(run_text):
    _, findings = run_text(TWO_LEAKS)
    assert findings["verdict"] == "leak"
    told = {f["bytes_per_step"]: f["holder"]["text"] for f in findings["findings"]}
    assert sorted(told) == pytest.approx([160_000, 240_000], rel=0.02)
    assert "`pictures`" in told[min(told)] and "`losses`" in told[max(told)]


def test_one_block_every_fifty_steps_is_a_leak(run_text):
    _, findings = run_text(EVERY_FIFTIETH)
    assert findings["verdict"] == "leak"
    (leak,) = findings["findings"]
    assert leak["steps"] == 1600
    assert leak["bytes_per_step"] == pytest.approx(320_000 / 50, rel=0.05)


def test_a_queue_that_is_filled_faster_than_it_is_emptied_is_a_leak(run_text):
    _, findings = run_text(BACKLOG)
    assert findings["verdict"] == "leak"
    (leak,) = findings["findings"]
    assert leak["bytes_per_step"] == pytest.approx(80_000, rel=0.05)
    assert "`waiting`" in leak["holder"]["text"]


def test_one_block_that_is_replaced_by_bigger_ones_is_a_leak(run_text):
    _, findings = run_text(GROWING_BLOCK)
    assert findings["verdict"] == "leak"
    assert findings["findings"][0]["bytes_per_step"] == pytest.approx(40_000, rel=0.05)
    assert findings["findings"][0]["count"] == 1


def test_a_block_that_two_lines_replace_in_turn_is_one_leak(run_text):
    _, findings = run_text(GROWING_IN_TURN)
    assert findings["verdict"] == "leak"
    assert [f["severity"] for f in findings["findings"]] == ["leak"]


@pytest.mark.parametrize(
    "text",
    [
        *(WARM_UP, FILLED_CACHE, BOUNDED_BUFFER, LOADS_THEN_ENDS, CLEAN_LOOP),
        *(FINER_EACH_TIME, TEXT_OF_EACH_TIME),
    ],
    ids=[
        *("warm_up", "filled_cache", "bounded_buffer", "loads_then_ends", "clean_loop"),
        *("finer_each_time", "text_of_each_time"),
    ],
)
def test_what_is_bounded_is_clean_with_no_more_than_notes(text, run_text):
    _, findings = run_text(text)
    assert findings["verdict"] == "clean"
    assert {f["severity"] for f in findings["findings"]} <= {"note"}


def test_what_is_let_go_from_time_to_time_is_no_leak(run_text):
    _, findings = run_text(SAW_TOOTH)
    assert findings["verdict"] == "clean"
    assert [f["severity"] for f in findings["findings"]] in ([], ["warning"])


FEW_WITH_A_LOOP_INSIDE = """
kept = []
def epoch(n):
    weights = np.random.rand(400_000)
    for _ in range(30):
        weights = weights * 0.99
    kept.append(weights)
for n in range(5):
    epoch(n)
"""

ON_ONE_LINE = """
class Bus:
    def __init__(self):
        self.listeners = set()
    def send(self, x):
        for listener in tuple(self.listeners):
            listener(x)
bus = Bus()
def listen():
    state = bytearray(40_000)
    bus.listeners.add(lambda x: state[x])
def visit(n):
    listen()
    bus.send(n)
n = 0
while n < 250:
    visit(n); work(); n += 1
"""


def test_a_few_rounds_with_a_loop_inside_are_unknown(run_text):
    _, findings = run_text(FEW_WITH_A_LOOP_INSIDE)
    assert findings["verdict"] == "unknown"


def test_rounds_of_a_while_loop_are_those_in_which_its_line_ran(run_text):
    _, findings = run_text(ON_ONE_LINE)
    assert findings["verdict"] == "leak"
    assert findings["findings"][0]["steps"] == 250
    assert findings["findings"][0]["bytes_per_step"] == pytest.approx(40_000, rel=0.05)


def test_growth_over_a_few_steps_is_unknown_and_says_why(run_text):
    _, findings = run_text(TOO_SHORT)
    assert findings["verdict"] == "unknown"
    assert "over only 5 steps (iteration of program.py:6): too few to tell" in findings["reason"]
