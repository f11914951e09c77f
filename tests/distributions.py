"""Other Linux distributions as folders, for the tests that install the wheel there: made once by debootstrap, kept in the cache.

Without a compiler and as a plain user, as most who install a wheel are. Needs root, as debootstrap and chroot do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Tuple

import envs
import extra_pythons
import find_python
import pytest

# Where the wheel is installed; `own` is the distribution of this machine, for what is built for it.
SUITES = {"debian-11": "bullseye", "ubuntu-20.04": "focal", "ubuntu-24.04": "noble"}
PACKAGES = "python3,python3-venv,python3-numpy"
USER = "1000:1000"
ROOT_USER = "0:0"


def ubuntu_keyring() -> Path:
    """Debian's development suite packs it; its signature is checked by apt."""
    root = find_python.cache_root() / "roots" / "keyring"
    found = root / "usr" / "share" / "keyrings" / "ubuntu-archive-keyring.gpg"
    if not found.exists():
        apt = extra_pythons.PrivateApt(root.with_name("apt"), extra_pythons.debian_source("sid"))
        apt.run(["update"])
        extra_pythons.unpack(apt, ["ubuntu-keyring", "ubuntu-archive-keyring"], root)
    return found


def source_of(name: str) -> List[str]:
    """Options of debootstrap, before the suite. Ubuntu comes from the mirror that debootstrap knows itself."""
    if name.startswith("ubuntu"):
        return [f"--keyring={ubuntu_keyring()}", "--components=main,universe"]
    return ["--components=main"]


def scripts_with(suite: str) -> Path:
    """debootstrap's own folder, with a script for a suite that is newer than it: all of Ubuntu's are one."""
    own = find_python.cache_root() / "roots" / "debootstrap"
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree("/usr/share/debootstrap", own, symlinks=True)
    script = own / "scripts" / suite
    if not script.exists():
        script.symlink_to("gutsy")
    return own


def debian_mirror() -> str:
    lines = extra_pythons.debian_source("sid").splitlines()
    return next(line.split()[1] for line in lines if line.startswith("URIs:"))


def own_suite() -> Tuple[str, str]:
    """The distribution of this machine, and its release, as "debian", "bookworm"."""
    lines = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    facts = {line.split("=")[0]: line.split("=", 1)[1].strip('"') for line in lines if "=" in line}
    return facts.get("ID", ""), facts.get("VERSION_CODENAME", "")


def make(name: str, suite: str, packages: str, folder: Path) -> None:
    scratch = folder.with_name(folder.name + ".new")
    shutil.rmtree(scratch, ignore_errors=True)
    command = ["debootstrap", "--variant=minbase", f"--include={packages}", *source_of(name)]
    command += [suite, str(scratch)]
    command += [debian_mirror()] if name.startswith("debian") else []
    environ = {**os.environ, "DEBOOTSTRAP_DIR": str(scripts_with(suite))}
    done = subprocess.run(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise extra_pythons.Unavailable(f"debootstrap {suite}: {done.stdout[-300:]}")
    scratch.rename(folder)


def provide(name: str, suite: str = "", packages: str = PACKAGES) -> Path:
    """The root of that distribution. Where it cannot be had the test is skipped."""
    suite = suite or SUITES[name]
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("another distribution needs root and debootstrap: tools/setup.py soak")
    folder = find_python.cache_root() / "roots" / name
    with envs.locked(folder.with_name(name + ".lock")):
        if not folder.exists():
            try:
                make(name, suite, packages, folder)
            except extra_pythons.Unavailable as error:
                pytest.skip(str(error))
    return folder


class Machine:
    """One distribution with a home folder of its own. Each command has its mounts to itself; they go with it."""

    MOUNTS = """mount -t proc proc "$0/proc" && mount -t tmpfs -o mode=1777 shm "$0/dev/shm" &&
        mount --bind "$1" "$0/mnt" && exec chroot --userspec="$2" "$0" /usr/bin/env -i HOME=/mnt PATH=/usr/sbin:/usr/bin:/sbin:/bin "${@:3}" """

    def __init__(self, root: Path, home: Path) -> None:
        self._root = root
        self.home = home  # outside; inside it is /mnt
        (root / "dev" / "shm").mkdir(parents=True, exist_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        home.chmod(0o777)

    def run(self, *command: str, user: str = USER) -> subprocess.CompletedProcess[str]:
        words = [
            "unshare",
            "--mount",
            "--fork",
            "--propagation",
            "private",
            "bash",
            "-c",
            self.MOUNTS,
        ]
        inside = ["/bin/sh", "-c", 'cd /mnt && exec "$0" "$@"', *command]
        words += [str(self._root), str(self.home), user, *inside]
        return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def has(self, program: str) -> bool:
        folders: Dict[str, Path] = {
            name: self._root / name for name in ("usr/bin", "usr/local/bin")
        }
        return any((folder / program).exists() for folder in folders.values())
