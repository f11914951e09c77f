#!/usr/bin/env python3
"""Makes the framework environments that tests and the exam run in, and says where they are.

usage: envs.py path NAME        print the environment's interpreter; it is made first when needed
       envs.py make [NAME...]   make them (all without a name)
       envs.py list             what exists, what does not
       envs.py json [NAME...]   {"name": "interpreter"} of those that exist or can be made
       envs.py lock NAME        resolve the entry's `requires` anew and pin the result in envs.lock

Environments live outside the clone: $TENURE_CACHE, else $XDG_CACHE_HOME/tenure, else
~/.cache/tenure. The folder's name carries a hash of the lock entry, so a changed entry is a new
environment. An entry with `over` sees the packages of the environment it names beside its own. One
process makes an environment at a time; a half-made one is made again. With TENURE_ENVS=existing
nothing is ever made.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List

import cuda_stubs
import find_python

LOCK_FILE = Path(__file__).resolve().parent / "envs.lock"
MARKER = "tenure-env.json"  # written last: its presence says that the environment is whole

# What checks and tests run with; the compiler of the wheel, a pip for the newest Python, and what asks datasets.
NO_FRAMEWORKS = ["tools", "zig", "installer", "fleet"]

Entry = Dict[str, Any]


class EnvError(Exception):
    """Why an environment cannot be had, as a sentence for people."""


def read_lock() -> Dict[str, Entry]:
    lock: Dict[str, Entry] = json.loads(LOCK_FILE.read_text(encoding="utf-8"))
    return lock


def entry_of(name: str) -> Entry:
    lock = read_lock()
    if name not in lock:
        raise EnvError(f"no environment named {name}; there are: {' '.join(lock)}")
    return lock[name]


def framework_names() -> List[str]:
    lock = read_lock()
    return [name for name in lock if name not in NO_FRAMEWORKS and "over" not in lock[name]]


def folder_of(name: str, entry: Entry) -> Path:
    text = json.dumps(entry, sort_keys=True)
    if "over" in entry:
        text += folder_of(entry["over"], entry_of(entry["over"])).name
    digest = hashlib.sha256(text.encode()).hexdigest()
    return find_python.cache_root() / "envs" / f"{name}-{digest[:12]}"


def interpreter_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def is_whole(folder: Path) -> bool:
    # bin/python is a link: it dangles when the interpreter it was made from has gone.
    return (folder / MARKER).exists() and interpreter_of(folder).exists()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def base_interpreter(name: str, entry: Entry) -> str:
    for version in entry["python"]:
        found = find_python.find(version)
        if found:
            return found
    others = entry["python"][1:]
    note = f" (or CPython {', '.join(others)})" if others else ""
    raise EnvError(f"{name} needs {find_python.missing_hint(entry['python'][0])}{note}")


def run(command: List[str], what: str) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        tail = done.stdout.decode(errors="replace").strip().splitlines()[-12:]
        raise EnvError("\n".join([what + " failed:"] + ["  " + line for line in tail]))


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def make_venv(base: str, folder: Path) -> None:
    try:
        run([base, "-m", "venv", str(folder)], f"{base} -m venv")
    except EnvError as error:
        if "ensurepip" in str(error):
            raise EnvError(f"{base} cannot make environments: install python3-venv")
        raise


def pip_install(folder: Path, packages: List[str], *options: str) -> None:
    pip = [str(interpreter_of(folder)), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    run(pip + list(options) + packages, "pip install into " + folder.name)


def site_packages_of(folder: Path) -> Path:
    return next((folder / "lib").glob("python*/site-packages"))


def start(name: str, entry: Entry, folder: Path) -> str:
    """Makes the venv, before any package; gives the interpreter it was made from."""
    base = base_interpreter(name, entry)
    make_venv(base, folder)
    if "over" in entry:
        below = site_packages_of(Path(path(entry["over"])).parent.parent)
        link = site_packages_of(folder) / f"{entry['over']}.pth"
        link.write_text(f"{below}\n", encoding="utf-8")
    return base


def build(name: str, entry: Entry, folder: Path) -> None:
    """Makes it in its final place: a venv cannot be moved, its scripts hold its path."""
    say(f"tenure: making environment {name} in {folder}")
    if folder.exists():
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    base = start(name, entry, folder)
    if entry["packages"]:
        pip_install(folder, entry["packages"], "--no-deps")
    if entry.get("cuda_stubs"):
        cuda_stubs.make(site_packages_of(folder))
    run([str(interpreter_of(folder)), "-c", entry["check"]], f"the check of environment {name}")
    scratch = folder / (MARKER + ".new")
    scratch.write_text(json.dumps({"name": name, "base": base, "entry": entry}, indent=1))
    os.replace(scratch, folder / MARKER)


def path(name: str) -> str:
    """The interpreter of the environment, made first when needed. Raises EnvError."""
    entry = entry_of(name)
    folder = folder_of(name, entry)
    if is_whole(folder):
        return str(interpreter_of(folder))
    if os.environ.get("TENURE_ENVS") == "existing":
        raise EnvError(f"environment {name} is not made: tools/envs.py make {name}")
    base_interpreter(name, entry)  # before the lock: a missing version needs no waiting
    with locked(folder.parent / (folder.name + ".lock")):
        if not is_whole(folder):
            build(name, entry, folder)
    return str(interpreter_of(folder))


def available(names: List[str]) -> Dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = path(name)
        except EnvError as error:
            say(str(error))
    return found


def relock(name: str) -> None:
    """Installs what the entry requires into a scratch venv and pins exactly what came."""
    entry = entry_of(name)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "env"
        start(name, entry, folder)
        if entry.get("requires_alone"):
            pip_install(folder, entry["requires_alone"], "--no-deps")
        pip_install(folder, entry["requires"])
        freeze = [str(interpreter_of(folder)), "-m", "pip", "freeze", "--local"]
        pins = subprocess.run(freeze, stdout=subprocess.PIPE, check=True).stdout.decode()
    entry["packages"] = [pin for pin in pins.splitlines() if "==" in pin]
    lock = read_lock()
    lock[name] = entry
    LOCK_FILE.write_text(json.dumps(lock, indent=1) + "\n", encoding="utf-8")


def print_list() -> None:
    for name, entry in read_lock().items():
        folder = folder_of(name, entry)
        state = str(interpreter_of(folder)) if is_whole(folder) else "not made"
        print(f"{name:8} CPython {entry['python'][0]:5} {state}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes and finds the framework environments.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list")
    for verb in ("path", "lock"):
        verbs.add_parser(verb).add_argument("name")
    for verb in ("make", "json"):
        verbs.add_parser(verb).add_argument("names", nargs="*")
    args = parser.parse_args()
    try:
        if args.verb == "path":
            print(path(args.name))
        elif args.verb == "lock":
            relock(args.name)
        elif args.verb == "list":
            print_list()
        elif args.verb == "json":
            print(json.dumps(available(args.names or framework_names()), indent=1))
        else:
            names = args.names or list(read_lock())
            return 0 if len(available(names)) == len(set(names)) else 1
    except EnvError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
