"""Programs of the exam, rewritten in one way at a time: what in_other_words() does at once, tests/same_words runs."""

from __future__ import annotations

import pytest
from same_words import rewriting
from same_words.exam_cases import CASES, text_of, told_of

WAYS = [rewriting.renamed, rewriting.reformatted, rewriting.spaced, rewriting.wrapped]


@pytest.mark.parametrize("name", [*CASES, "PDC-1"])
def test_each_way_of_writing_it_is_told_the_same(name, env, run_tenure, tmp_path):
    text = text_of(name)
    before = told_of(name, text, tmp_path, env, run_tenure)
    told = {way.__name__: told_of(name, way(text), tmp_path, env, run_tenure) for way in WAYS}
    differing = {name: after for name, after in told.items() if not after.is_like(before)}
    assert not differing, before
