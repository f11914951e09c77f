"""The Debian package in a fresh system of its distribution: installed, used by a plain user, and removed without a trace."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Set

import debs
import distributions
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def deb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return debs.built_deb(tmp_path_factory.mktemp("deb"))


@pytest.fixture(scope="module")
def machine(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> distributions.Machine:
    """With what the package depends on, so that dpkg alone can install it."""
    name, suite = distributions.own_suite()
    packages = ",".join([*distributions.PACKAGES.split(","), "man-db", *debs.packages_needed(deb)])
    root = distributions.provide(f"{name}-own", suite, packages)
    home = tmp_path_factory.mktemp("home")
    shutil.copy(deb, home)
    shutil.copy(ROOT / "examples" / "leaky_numpy.py", home)
    return distributions.Machine(root, home)


def files_of(machine: distributions.Machine) -> Set[str]:
    words = ["find", "/usr", "/etc", "/var/lib/dpkg/info", "-name", "*tenure*"]
    return set(machine.run(*words, user=distributions.ROOT_USER).stdout.splitlines())


def test_it_is_installed_used_and_removed(machine: distributions.Machine, deb: Path) -> None:
    root = distributions.ROOT_USER
    machine.run("dpkg", "--purge", "tenure", user=root)
    before = files_of(machine)
    done = machine.run("dpkg", "-i", "/mnt/" + deb.name, user=root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "/usr/bin/tenure" in files_of(machine)

    said = machine.run("tenure", "run", "--", "python3", "leaky_numpy.py")
    assert said.returncode == 0 and "leaky_numpy.py:25" in said.stderr, said.stderr
    page = machine.run("man", "tenure")
    assert "tenure run [options] [--] PROGRAM [arguments]" in page.stdout, page.stderr

    gone = machine.run("dpkg", "--purge", "tenure", user=root)
    assert gone.returncode == 0, gone.stderr
    assert files_of(machine) == before
