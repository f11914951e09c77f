"""A test that leaks fails with its own sentence; what warms up, fills or is bounded passes."""

from __future__ import annotations

import xml.etree.ElementTree

import pytest

TESTS = """
@mark()
def test_leak():
    kept.append(bytearray(50_000))
    work()

@mark()
def test_clean():
    blocks = [bytearray(50_000) for _ in range(5)]
    work()

warm = {}
@mark(rounds=40)
def test_warm_up_then_flat():
    if len(warm) < 4:
        warm[len(warm)] = bytearray(200_000)
    work()

once = []
@mark()
def test_loads_once():
    if not once:
        once.append(bytearray(10 << 20))
    work()

cache, keys = {}, iter(random.Random(1).choices(range(12), k=80))
@mark(rounds=80)
def test_filling_cache():
    key = next(keys)
    if key not in cache:
        cache[key] = bytearray(200_000)
    work()

buffer = collections.deque(maxlen=500)
@mark(rounds=40)
def test_bounded_buffer():
    buffer.append(bytearray(100_000))
    work()

class Node:
    pass

@mark(rounds=40)
def test_cycles():
    node = Node()
    node.me, node.data = node, bytearray(3_000_000)
    work()

rounds = iter(range(60))
@mark(rounds=60)
def test_sometimes():
    if next(rounds) % 3 == 0:
        kept.append(bytearray(100_000))
    work()

more = iter(range(1, 201))
@mark(rounds=200)
def test_fills_ever_more_slowly():
    n = next(more)
    if int(20 * math.log2(n + 1)) > int(20 * math.log2(n)):
        kept.append(bytearray(100_000))
    work()

@mark()
def test_small_objects():
    kept.append([object() for _ in range(10_000)])
    work()

@mark(max_growth="100 KB")
def test_allowed_growth():
    kept.append(bytearray(50_000))
    work()

@mark(max_peak="1MiB")
def test_peak():
    bytearray(2 << 20)

@mark(max_peak="3MiB")
def test_low_peak():
    bytearray(2 << 20)

def helper(n):
    kept.append(bytearray(100_000))
    work()

@mark()
@pytest.mark.parametrize("n", range(4))
def test_parameter(n):
    if n % 2:
        helper(n)
    work()

set_up = []
@pytest.fixture
def counted():
    set_up.append(1)
    yield len(set_up)

@mark()
class TestInClass:
    def test_fixture_is_set_up_once(self, counted):
        work()
        assert counted == 1

    def test_leaks(self, tmp_path):
        kept.append(bytearray(50_000))
        work()

class TestUnittest(unittest.TestCase):
    def setUp(self):
        self.data = bytearray(50_000)

    @mark()
    def test_leaks(self):
        kept.append(self.data)
        work()

    @mark()
    def test_clean(self):
        work()

    @mark()
    def test_makes_nothing(self):  # that is tracked, right after one that leaks
        pass

    @mark()
    def test_fails(self):
        self.assertEqual(1, 2)

async def serve(store):
    store.append(bytearray(50_000))
    await asyncio.sleep(0)
    work()

@mark()
def test_async():
    asyncio.run(serve([]))

@mark()
def test_async_leak():
    asyncio.run(serve(kept))

@mark()
def test_own_failure():
    assert work() == 0

@mark(rounds=3)
def test_too_few_rounds():
    work()

@mark(max_growth="many")
def test_no_size():
    work()

def test_not_marked():
    kept.append(bytearray(50_000))
"""

LEAKING = {
    "test_leak",
    "test_sometimes",
    "test_small_objects",
    "test_parameter[1]",
    "test_parameter[3]",
    "TestInClass::test_leaks",
    "TestUnittest::test_leaks",
    "test_async_leak",
}
OTHERWISE_WRONG = {
    "test_peak",
    "TestUnittest::test_fails",
    "test_own_failure",
    "test_too_few_rounds",
    "test_no_size",
}
CLEAN = {
    "test_fills_ever_more_slowly",
    "test_clean",
    "test_warm_up_then_flat",
    "test_loads_once",
    "test_filling_cache",
    "test_bounded_buffer",
    "test_cycles",
    "test_allowed_growth",
    "test_low_peak",
    "test_parameter[0]",
    "test_parameter[2]",
    "TestInClass::test_fixture_is_set_up_once",
    "TestUnittest::test_clean",
    "TestUnittest::test_makes_nothing",
    "test_async",
    "test_not_marked",
}


@pytest.fixture(scope="module")
def session(run_pytest, tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged")
    return run_pytest(folder, TESTS, "--tenure", f"--junit-xml={folder / 'report.xml'}")


def test_each_test_is_judged_by_itself(session) -> None:
    expected = {name: "FAILED" for name in LEAKING | OTHERWISE_WRONG}
    expected.update({name: "PASSED" for name in CLEAN})
    assert session.outcomes == expected
    assert session.returncode == 1


def test_a_leak_is_told_by_line_holder_and_fix(session) -> None:
    told = session.failure_of("test_leak")
    first = told.strip().splitlines()[0]
    assert first.startswith("tenure: leak: ")
    assert "every round, kept by global list `kept`" in first
    assert "made at  test_it.py:10 in test_leak()" in told
    assert "why      " in told
    assert "fix      " in told


def test_the_leaks_of_tests_are_told_apart(session) -> None:
    told = session.failure_of("TestInClass.test_leaks")
    assert "TestInClass.test_leaks()" in told
    assert "in test_leak()" not in told
    assert "pytest_plugin" not in told


def test_other_failures_are_as_without_tenure(session) -> None:
    assert "AssertionError: 1 != 2" in session.failure_of("TestUnittest.test_fails")
    assert "assert work() == 0" in session.failure_of("test_own_failure")
    assert "tenure: leak" not in session.failure_of("test_own_failure")


def test_a_wrong_mark_fails_with_what_to_write(session) -> None:
    assert "rounds=3: at least 16" in session.failure_of("test_too_few_rounds")
    assert 'write it as "0B"' in session.failure_of("test_no_size")


def test_a_peak_is_above_the_level_at_the_start(session) -> None:
    told = session.failure_of("test_peak")
    assert "peak of 2.0 MiB above the level at its start, more than max_peak (1.0 MiB)" in told


def test_what_grows_within_bounds_is_noted(session) -> None:
    notes = session.stdout.partition(" tenure ===")[2].partition("short test summary")[0]
    assert "test_fills_ever_more_slowly: note: test_it.py:" in notes
    assert "test_bounded_buffer: note: test_it.py:" in notes
    assert "its holder takes at most 500 items" in notes
    assert "test_allowed_growth: within max_growth, leak: test_it.py:" in notes


def test_the_session_ends_as_pytest_does(session) -> None:
    assert session.stderr == ""  # no second report behind pytest's own
    assert sorted(path.name for path in session.folder.iterdir() if path.suffix == ".tenure") == []
    cases = xml.etree.ElementTree.parse(session.folder / "report.xml").iter("testcase")
    failed = {case.get("name"): case.find("failure") for case in cases}
    assert "kept by global list `kept`" in failed["test_leak"].get("message")
    assert failed["test_clean"] is None
