"""A release has a section of the changelog, and one version everywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))

import release_notes

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = """# Changelog

## [Unreleased]

- later

## [1.2.0] - 2026-01-02

- one
- two

## [1.1.0] - 2025-01-02

- old
"""


def test_notes_are_those_of_the_version_alone() -> None:
    assert release_notes.notes(CHANGELOG, "1.2.0") == "- one\n- two\n"
    assert release_notes.notes(CHANGELOG, "1.1.0") == "- old\n"


@pytest.mark.parametrize("version", ["1.3.0", "1.2", "1x2.0", "Unreleased"])
def test_a_version_without_a_section_has_none(version: str) -> None:
    assert release_notes.notes(CHANGELOG, version) == ""


def test_this_version_has_its_notes_and_later_changes_have_a_place(tenure: str) -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = release_notes.project_version()
    assert release_notes.notes(text, version)
    assert text.index("## [Unreleased]") < text.index(f"## [{version}]")
    said = subprocess.run([tenure, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"{version} (")
