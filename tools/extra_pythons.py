#!/usr/bin/env python3
"""Brings CPython versions that are newer than this Debian into Tenure's cache, for the tests.
Nothing of the system is changed.

usage: extra_pythons.py [VERSION ...]      default: 3.13 3.14 3.15; prints where each is

The packages come from Debian's development suite, by the mirror this machine already uses, with an
apt configuration of its own (lists, cache and sources below the cache folder). They are unpacked
there, and each interpreter is bound to the C library unpacked beside it, so that it can be started
and preloaded like any other. A version that is ready is left as it is; without network or apt the
tool says so and ends with 1.
"""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional

import find_python

# 3.13 as well: its own releases differ (what a debugger replaces is kept in two forms), and the
# machine has at most one of them.
DEFAULT_VERSIONS = ["3.13", "3.14", "3.15"]
SUITE = "sid"
PATCHELF_LIBRARIES = ["libc6", "libgcc-s1", "libstdc++6"]
PYTHON_LIBRARIES = """libc6 libgcc-s1 libexpat1 zlib1g libzstd1 libffi8 libssl3t64 libbz2-1.0
    liblzma5 libsqlite3-0 libuuid1 libncursesw6 libtinfo6 libreadline8t64""".split()
OWN_FOLDERS = ["state/lists/partial", "cache/archives/partial"]


class Unavailable(Exception):
    pass


def pythons_folder() -> Path:
    return find_python.cache_root() / "pythons"


def interpreter(version: str) -> Path:
    return pythons_folder() / version / "usr" / "bin" / ("python" + version)


def is_ready(version: str) -> bool:
    question = "import sys, ctypes; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run(
            [str(interpreter(version)), "-c", question],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return False
    return answer.stdout.decode().strip() == version


# --- the mirror of this machine -------------------------------------------------------------------


def deb822_stanzas(text: str) -> Iterator[Dict[str, str]]:
    for block in text.split("\n\n"):
        lines = [
            line for line in block.splitlines() if ":" in line and not line.startswith(("#", " "))
        ]
        yield {key.lower(): value.strip() for key, value in (line.split(":", 1) for line in lines)}


def one_line_stanzas(text: str) -> Iterator[Dict[str, str]]:
    for line in text.splitlines():
        words = [
            word for word in line.split() if not word.startswith("[") and not word.endswith("]")
        ]
        if len(words) > 3 and words[0] == "deb":
            yield {"types": "deb", "uris": words[1], "suites": words[2]}


def system_stanzas() -> Iterator[Dict[str, str]]:
    etc = Path("/etc/apt")
    for path in sorted((etc / "sources.list.d").glob("*.sources")):
        yield from deb822_stanzas(path.read_text())
    for path in [etc / "sources.list"] + sorted((etc / "sources.list.d").glob("*.list")):
        if path.exists():
            yield from one_line_stanzas(path.read_text())


def debian_source(suite: str, types: str = "deb") -> str:
    """The apt source of another suite, from the mirror of this machine."""
    for stanza in system_stanzas():
        uris = stanza.get("uris", "").split()
        if (
            "deb" in stanza.get("types", "").split()
            and uris
            and uris[0].rstrip("/").endswith("/debian")
        ):
            signed = "Signed-By: %s\n" % stanza["signed-by"] if "signed-by" in stanza else ""
            return "Types: %s\nURIs: %s\nSuites: %s\nComponents: main\n%s" % (
                types,
                uris[0],
                suite,
                signed,
            )
    raise Unavailable("no Debian mirror among the apt sources of this machine")


# --- a private apt --------------------------------------------------------------------------------


class PrivateApt:
    """apt-get with lists, cache and sources of its own below `folder`; see debian_source()."""

    def __init__(self, folder: Path, source: str) -> None:
        for name in OWN_FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        sources = folder / "own.sources"
        sources.write_text(source)
        self._options = [
            "Dir::Etc::sourcelist=%s" % sources,
            "Dir::Etc::sourceparts=/dev/null",
            "Dir::State=%s" % (folder / "state"),
            "Dir::Cache=%s" % (folder / "cache"),
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
            "Acquire::Languages=none",
            "APT::Sandbox::User=root",
        ]

    def run(self, arguments: List[str], cwd: Optional[Path] = None) -> None:
        command = (
            ["apt-get", "-qq"]
            + [word for option in self._options for word in ("-o", option)]
            + arguments
        )
        try:
            done = subprocess.run(
                command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        except OSError as error:
            raise Unavailable("apt-get: %s" % error)
        if done.returncode != 0:
            raise Unavailable(
                "apt-get %s: %s"
                % (arguments[0], done.stdout.decode(errors="replace").strip()[-300:])
            )


def unpack(apt: PrivateApt, packages: List[str], root: Path) -> None:
    debs = root.with_name(root.name + ".debs")
    for folder in (debs, root):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    apt.run(["download"] + packages, cwd=debs)
    for deb in sorted(debs.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(deb), str(root)], check=True)
    shutil.rmtree(debs)


# --- an interpreter that uses the C library beside it ---------------------------------------------


def library_folders(root: Path) -> List[Path]:
    return sorted(
        {
            path.parent
            for path in root.glob("**/lib*.so.*")
            if "python3" not in str(path.relative_to(root))
        }
    )


def loader(root: Path) -> Path:
    for path in sorted(root.glob("**/ld-linux*.so.*")):
        if not path.is_symlink():
            return path
    raise Unavailable("libc6 of %s has no loader where it used to be" % SUITE)


def run_unpacked(root: Path, program: Path, arguments: List[str]) -> None:
    folders = ":".join(map(str, library_folders(root)))
    subprocess.run(
        [str(loader(root)), "--library-path", folders, str(program)] + arguments, check=True
    )


def bind_to_own_libraries(root: Path, final: Path, patchelf_root: Path, version: str) -> None:
    """In two steps, the loader last: patchelf 0.18 ruins these executables when asked for both at once.
    The rpath is an old-style one because that also serves the libraries that extension modules
    need."""
    python = str(root / "usr" / "bin" / ("python" + version))
    patchelf = patchelf_root / "usr" / "bin" / "patchelf"
    folders = ":".join(str(final / folder.relative_to(root)) for folder in library_folders(root))
    run_unpacked(patchelf_root, patchelf, ["--force-rpath", "--set-rpath", folders, python])
    run_unpacked(
        patchelf_root,
        patchelf,
        ["--set-interpreter", str(final / loader(root).relative_to(root)), python],
    )


def bring(apt: PrivateApt, folder: Path, version: str) -> None:
    patchelf_root = folder / ".patchelf"
    if not (patchelf_root / "usr" / "bin" / "patchelf").exists():
        unpack(apt, ["patchelf"] + PATCHELF_LIBRARIES, patchelf_root)
    fresh, final = folder / (version + ".new"), folder / version
    python_packages = ["python%s-minimal", "libpython%s-minimal", "libpython%s-stdlib"]
    unpack(apt, [name % version for name in python_packages] + PYTHON_LIBRARIES, fresh)
    bind_to_own_libraries(fresh, final, patchelf_root, version)
    shutil.rmtree(final, ignore_errors=True)
    fresh.rename(final)
    if not is_ready(version):
        raise Unavailable("CPython %s was unpacked but does not start" % version)


def provide(versions: List[str]) -> None:
    folder = pythons_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with open(str(folder / ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [version for version in versions if not is_ready(version)]
        if not missing:
            return
        apt = PrivateApt(folder / ".apt", debian_source(SUITE))
        apt.run(["update"])
        for version in missing:
            bring(apt, folder, version)


def main() -> int:
    versions = sys.argv[1:] or DEFAULT_VERSIONS
    if any(word.startswith("-") for word in versions):
        print(
            "usage: extra_pythons.py [VERSION ...], for example: extra_pythons.py 3.15",
            file=sys.stderr,
        )
        return 2
    try:
        provide(versions)
    except (Unavailable, OSError, subprocess.CalledProcessError) as error:
        print("extra_pythons: %s" % error, file=sys.stderr)
        return 1
    for version in versions:
        print(interpreter(version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
