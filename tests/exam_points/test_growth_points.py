"""Growth cases whose kind or holder is not told yet: verdict, line and figure must be right all the same.

The list names points, not cases: every growth case of the environment is graded, but for those that
tests/exam/not_yet.txt names and those that take long.
"""

import json
import subprocess
import sys

import pytest
import run_tests

GROWTH_KINDS = "retained-*,shared-memory,cache-growth,native-growth"
POINTS = ("verdict", "where", "growth", "quiet", "same")
SLOW = {"CPS-1"}  # 20 s; `make exam` grades it


def graded_cases(exam):
    names = {path.parent.name for path in exam.glob("*/case.json")}
    return sorted(names - SLOW - set(run_tests.case_list(exam / "not_yet.txt")))


@pytest.mark.parametrize("name", ["numpy", "cpp"])
def test_every_growth_case_has_verdict_line_and_figure_right(name, root, env, tenure, tmp_path):
    exam = root / "tests" / "exam"
    environments = {} if name == "cpp" else {name: env(name)}
    (tmp_path / "envs.json").write_text(json.dumps(environments))
    out = tmp_path / "results.json"
    subprocess.run(
        [sys.executable, str(exam / "grade.py"), "--only", ",".join(graded_cases(exam))]
        + ["--cases", str(exam), "--envs", str(tmp_path / "envs.json")]
        + ["--tenure", tenure, "--env", name, "--kind", GROWTH_KINDS, "--out", str(out)],
        check=True,
        timeout=600,
    )
    results = json.loads(out.read_text())
    assert results, "no case was graded"
    missed = {
        row["id"]: [p for p in POINTS if row["points"].get(p) is False]
        for row in results
        if any(row["points"].get(p) is False for p in POINTS)
    }
    assert not missed
