"""Programs of the exam in other words: no verdict, no line and no figure changes.

Two runs of one program may differ by themselves, by samples or by what a snapshot met. So each wording is run up to
ROUNDS times, and some run of the one must be told as some run of the other.
"""

from __future__ import annotations

import pytest
from same_words import rewriting
from same_words.exam_cases import CASES, text_of, told_of

ROUNDS = 3


@pytest.mark.parametrize("name", CASES)
def test_a_program_in_other_words_is_told_the_same(name, env, run_tenure, tmp_path):
    text = text_of(name)
    before, after = [], []
    for _ in range(ROUNDS):
        before.append(told_of(name, text, tmp_path, env, run_tenure))
        after.append(told_of(name, rewriting.in_other_words(text), tmp_path, env, run_tenure))
        if any(ours.is_like(theirs) for ours in after for theirs in before):
            return
    pytest.fail(f"{before}\n{after}")
