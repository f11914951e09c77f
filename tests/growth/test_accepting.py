"""What the user knows of and accepts is told as accepted, and is no leak: `tenure.ignore()`, and `ignore` in the configuration."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

LEAKS = """
import tenure
known, unknown = [], []
def keep(step):
    known.append(np.ones(20_000 + work()))
for step in range(60):
    {call}
    {other}
"""
OTHER = "unknown.append(np.ones(20_000 + work()))"


def accepted(findings: Any) -> Any:
    return [f for f in findings["findings"] if f["severity"] == "accepted"]


@pytest.mark.parametrize(
    "call", ["with tenure.ignore(): keep(step)", "tenure.ignore()(keep)(step)"]
)
def test_what_is_made_inside_is_accepted(run_text: Callable[..., Any], call: str) -> None:
    _, findings = run_text(LEAKS.format(call=call, other="pass"))
    assert findings["verdict"] == "clean"
    (told,) = accepted(findings)
    assert told["accepted_by"] == "tenure.ignore()"
    assert told["bytes"] == pytest.approx(60 * 160_000, rel=0.1)


def test_what_is_made_outside_is_a_leak(run_text: Callable[..., Any]) -> None:
    text, findings = run_text(LEAKS.format(call="with tenure.ignore(): keep(step)", other=OTHER))
    assert findings["verdict"] == "leak"
    (leak,) = [f for f in findings["findings"] if f["severity"] == "leak"]
    assert leak["where"][0]["line"] == 1 + text.splitlines().index("    " + OTHER)
    assert len(accepted(findings)) == 1


def test_it_does_nothing_without_tenure(env: Any) -> None:
    package = Path(__file__).resolve().parents[2] / "python"
    program = f"import sys; sys.path.insert(0, {str(package)!r}); import tenure\n"
    program += "with tenure.ignore(): print(1)\nprint(tenure.ignore()(max)(2, 3))\n"
    done = subprocess.run([env("numpy"), "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n3\n"


@pytest.mark.parametrize(
    "entry, name, form",
    [
        ("program.py:{line}", "tenure.toml", "ignore = ['{entry}']\n"),
        (
            "known",
            "pyproject.toml",
            '[tool.other]\nx = """\nignore"""\n[tool.tenure]\nignore = [\n  "{entry}",  # known\n]\n',
        ),
    ],
)
def test_lines_and_holders_of_the_configuration_are_accepted(
    run_text: Callable[..., Any], run_tenure: Any, tmp_path: Path, entry: str, name: str, form: str
) -> None:
    lines = LEAKS.format(call="keep(step)", other="pass")
    number = 3 + lines[: lines.index("known.append")].count("\n") + 1
    entry = entry.format(line=number)
    (tmp_path / name).write_text(form.format(entry=entry))
    text, findings = run_text(lines)
    assert "known.append" in text.splitlines()[number - 1]
    assert findings["verdict"] == "clean"
    (told,) = accepted(findings)
    assert told["accepted_by"] == entry
    (tmp_path / name).unlink()
    shown = run_tenure(["show", "program.tenure"])
    assert "1 accepted" in shown.stdout + shown.stderr


@pytest.mark.parametrize(
    "text, told",
    [
        ("ignore = 'train.py:3'\n", "line 1: `ignore` is a list of texts"),
        ("ignore = ['a' 'b']\n", "line 1: `ignore` is a list of texts"),
        ("ignore = ['a',\n", "line 2: `ignore` is a list of texts"),
        ("\nignore [1]\n", "line 2: `ignore` needs"),
        ("ignores = []\n", "line 1: Tenure knows no `ignores`"),
    ],
)
def test_a_configuration_that_is_wrong_is_told_in_one_sentence(
    run_tenure: Any, env: Any, tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "tenure.toml").write_text(text)
    outcome = run_tenure(["run", "--", env("numpy"), "-c", "print(1)"])
    assert outcome.returncode == 2
    assert told in outcome.stderr and outcome.stderr.count("\n") == 1
    assert not outcome.stdout
