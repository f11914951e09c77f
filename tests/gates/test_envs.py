"""Environments are made once, whole or not at all, and an absent Python is said plainly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import envs
import find_python
import pytest

HERE = "%d.%d" % sys.version_info[:2]
TOOLS = Path(envs.__file__).parent


@pytest.fixture
def lock(tmp_path, monkeypatch):
    """A lock with one environment that needs no download, and one that cannot be made."""
    entries = {
        "small": {"python": [HERE], "requires": [], "packages": [], "check": "import json"},
        "old": {"python": ["2.1"], "requires": [], "packages": [], "check": "pass"},
        "above": {"over": "small", "python": [HERE], "requires": [], "packages": [], "check": ""},
        "broken": {"python": [HERE], "requires": [], "packages": [], "check": "import no_such"},
    }
    path = tmp_path / "envs.lock"
    path.write_text(json.dumps(entries))
    monkeypatch.setattr(envs, "LOCK_FILE", path)
    monkeypatch.setenv("TENURE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TENURE_PY" + HERE.replace(".", ""), sys.executable)
    monkeypatch.delenv("TENURE_ENVS", raising=False)
    return path


def folder_of(name):
    return envs.folder_of(name, envs.entry_of(name))


def test_an_environment_is_made_once_and_then_found(lock):
    first = envs.path("small")
    assert subprocess.run([first, "-c", "pass"]).returncode == 0
    marker = folder_of("small") / envs.MARKER
    made_at = marker.stat().st_mtime_ns
    assert envs.path("small") == first
    assert marker.stat().st_mtime_ns == made_at


def test_an_environment_over_another_sees_its_packages(lock):
    below = Path(envs.path("small")).parent.parent
    (envs.site_packages_of(below) / "below_only.py").write_text("")
    above = envs.path("above")
    assert above != envs.path("small")
    assert subprocess.run([above, "-c", "import below_only"]).returncode == 0


def test_an_environment_over_a_changed_one_is_another(lock):
    before = folder_of("above")
    entries = json.loads(lock.read_text())
    entries["small"]["check"] = "import sys"
    lock.write_text(json.dumps(entries))
    assert folder_of("above") != before


def test_a_half_made_environment_is_made_again(lock):
    folder = folder_of("small")
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").write_text("not an interpreter")
    assert subprocess.run([envs.path("small"), "-c", "pass"]).returncode == 0


def test_an_environment_whose_interpreter_has_gone_is_made_again(lock):
    link = Path(envs.path("small"))
    link.unlink()
    link.symlink_to("gone")
    assert subprocess.run([envs.path("small"), "-c", "pass"]).returncode == 0


def test_a_changed_entry_is_another_environment(lock):
    before = folder_of("small")
    entries = json.loads(lock.read_text())
    entries["small"]["check"] = "import sys"
    lock.write_text(json.dumps(entries))
    assert folder_of("small") != before


def test_an_environment_that_fails_its_check_is_not_taken_for_whole(lock):
    for _ in range(2):
        with pytest.raises(envs.EnvError, match="no_such"):
            envs.path("broken")


def test_two_processes_make_it_once(lock):
    script = (
        f"import envs, pathlib; envs.LOCK_FILE = pathlib.Path({str(lock)!r}); envs.path('small')"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", script], cwd=TOOLS, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = b"".join(process.communicate()[1] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert said.count(b"making environment small") == 1


def test_an_absent_python_is_named_with_the_variable_that_helps(lock):
    with pytest.raises(
        envs.EnvError, match=r"old needs CPython 2\.1: install it or set TENURE_PY21"
    ):
        envs.path("old")


def test_json_leaves_out_what_cannot_be_made(lock, capsys):
    assert list(envs.available(["small", "old"])) == ["small"]
    assert "TENURE_PY21" in capsys.readouterr().err


def test_existing_makes_nothing(lock, monkeypatch):
    monkeypatch.setenv("TENURE_ENVS", "existing")
    with pytest.raises(envs.EnvError, match=r"tools/envs\.py make small"):
        envs.path("small")
    assert not folder_of("small").exists()


def test_a_shim_is_resolved_to_the_interpreter_behind_it(tmp_path, monkeypatch):
    shim = tmp_path / ("python" + HERE)
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    monkeypatch.delenv("TENURE_PY" + HERE.replace(".", ""), raising=False)
    found = find_python.find(HERE)
    assert found and found != str(shim)


def test_a_python_of_another_version_is_not_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("TENURE_PY21", sys.executable)
    assert find_python.find("2.1") is None


def test_the_lock_pins_every_package_exactly():
    for name, entry in json.loads((TOOLS / "envs.lock").read_text()).items():
        assert entry["packages"], name
        assert all("==" in package for package in entry["packages"]), name
