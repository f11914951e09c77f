"""What pages say that programs print is what they print today. Frameworks take their time: those are in tests/soak."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Callable, Dict

import envs
import gen_docs
import pytest
import told_rows

ROOT = Path(__file__).resolve().parents[2]
SHOWN: Dict[str, str] = {folder: made for _, folder, made in gen_docs.shown()}


def said_in(made: str) -> str:
    """What the page shows below the command."""
    return made.rsplit("```\n$ ", 1)[1].split("\n", 1)[1].rsplit("```", 1)[0]


def check(folder: str, tenure: str, place: Path) -> None:
    printed = gen_docs.run(gen_docs.Program(folder), tenure, place).split("\n", 1)[1]
    shown = said_in(SHOWN[folder])
    assert told_rows.told(shown), shown
    assert told_rows.told(printed) == told_rows.told(shown), printed


@pytest.mark.parametrize("folder", filter(told_rows.is_quick, SHOWN))
def test_program_of_a_page_prints_what_the_page_says(
    folder: str, tenure: str, env: Callable[[str], str], tmp_path: Path
) -> None:
    env("numpy")
    check(folder, tenure, tmp_path)


def test_valgrind_says_what_the_page_says(tmp_path: Path) -> None:
    (folder,) = [name for name in SHOWN if gen_docs.Program(name).case.get("valgrind")]
    shown = said_in(SHOWN[folder])
    assert "definitely lost: 0 bytes in 0 blocks" in shown
    gen_docs.Program(folder).command(tmp_path)
    again = gen_docs.valgrinds_words(tmp_path)
    lost = [line for line in again.splitlines() if "definitely" in line or "still" in line]
    assert lost and all(
        told_rows.without_figures(line) in told_rows.without_figures(shown) for line in lost
    )


README = {
    "tenure run examples/leaky_numpy.py": lambda: [envs.path("numpy"), "examples/leaky_numpy.py"],
    "tenure run ./blur": lambda: ["./blur"],
}


@pytest.mark.parametrize("command", README)
def test_readme_shows_what_is_printed(
    command: str, tenure: str, env: Callable[[str], str], tmp_path: Path
) -> None:
    env("numpy")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = text.split(f"$ {command}\n")[1].split("```")[0]
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    source = tmp_path / "blur.cpp"
    source.write_text((ROOT / "tests" / "exam" / "CPP-1" / "program.cpp").read_text())
    flags = ["-g", "-O1", "-std=c++17", "-pthread"]
    subprocess.run(["g++", *flags, "-o", "blur", "blur.cpp"], cwd=tmp_path, check=True)
    words = [tenure, "run", "--", *README[command]()]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8")
    printed = gen_docs.tenures_words(done.stderr)
    assert told_rows.told(printed) == told_rows.told(gen_docs.tenures_words(shown)), printed
