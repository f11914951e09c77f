"""Runs a suite of 300 small tests by pytest, in this process; the tests are below."""

import json
import sys

import pytest
import told


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "table.json"
    file.write_text(json.dumps({str(i): list(range(i)) for i in range(50)}))
    return file


@pytest.mark.parametrize("number", range(150))
def test_reading(table, number):
    read = json.loads(table.read_text())
    assert read[str(number % 50)] == list(range(number % 50))


@pytest.mark.parametrize("number", range(150))
def test_sorting(number):
    values = [(i * 7919 + number) % 1009 for i in range(1009)]
    assert sorted(values) == list(range(1009))


if __name__ == "__main__":
    told.working()
    code = pytest.main(["-q", "-p", "no:cacheprovider", __file__])
    told.done()
    sys.exit(code)
