"""Adapters encode sentences in the form that the report reads (src/base/sentence.h)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "python" / "tenure" / "_sentence.py"


@pytest.fixture
def sentence() -> Any:
    names: Dict[str, Any] = {}
    exec(SOURCE.read_text(encoding="utf-8"), names)
    return names["sentence"]


def test_a_sentence_is_written_as_cpp_reads_it(sentence):  # tests/unit/base has the same bytes
    inner = sentence("at", line="a.py:3")
    assert sentence("queue.closed", count=12, where=inner) == (
        "\x02queue.closed\x1fcount=12\x1fwhere=\x02at\x1fline=a.py:3\x03\x03"
    )


def test_separators_in_what_the_program_calls_things_become_spaces(sentence):
    assert sentence("x", name="a\x02b\x03c\x1fd") == "\x02x\x1fname=a b c d\x03"


def test_an_empty_parameter_is_none(sentence):
    assert sentence("x", at="", name=0) == "\x02x\x1fname=0\x03"
