"""Where the program `tenure` is, and how this process can be started again under it.

Imports nothing of pytest. Called from the main thread.
"""

import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STARTED_AGAIN = "TENURE_PYTEST"  # in the environment of a process that was
TRACED = "TENURE_MAIN_PID"  # the process that `tenure run` started


class CannotRun(Exception):
    """The sentence says why, and what to do."""


def supervisor():
    """The program that runs this process; "": none, or it is out of sight, as in another container."""
    try:
        with open("/proc/%s/stat" % os.environ[TRACED]) as file:
            parent = file.read().rpartition(")")[2].split()[1]
        program = os.readlink("/proc/%s/exe" % parent)
    except (KeyError, IndexError, OSError):
        return ""
    return program if os.path.basename(program) == "tenure" else ""


def places():
    yield supervisor()
    yield os.environ.get("TENURE_BIN", "")
    package = os.path.dirname(HERE)
    yield os.path.join(package, "_native", "bin", "tenure")
    yield os.path.join(package, "..", "..", "build", "bin", "tenure")
    yield shutil.which("tenure") or ""


def tenure_program():
    for place in places():
        if place and os.access(place, os.X_OK):
            return os.path.realpath(place)
    raise CannotRun(
        "the program `tenure` was not found beside this package or on PATH: install the wheel, "
        "or set TENURE_BIN"
    )


def interpreter_words():
    """The interpreter with its own options, as -X and -W."""
    import subprocess

    return [sys.executable, *subprocess._args_from_interpreter_flags()]  # type: ignore[attr-defined]


def words_of_this_process(arguments):
    """How this process was started, as one would type it. `arguments`: what pytest takes for its command line."""
    if list(sys.argv[1:]) != list(arguments):
        raise CannotRun(
            "this pytest was started by another program with arguments of its own, so it cannot be "
            "started again under `tenure run`: run `tenure run -- PROGRAM` instead"
        )
    if not sys.executable:
        raise CannotRun("the path of the interpreter is not known: run `tenure run -- pytest`")
    original = getattr(sys, "orig_argv", None)
    if original:
        return [sys.executable, *original[1:]]
    program = sys.argv[0]
    if os.path.basename(program) == "__main__.py":  # python -m pytest
        return [*interpreter_words(), "-m", "pytest", *sys.argv[1:]]
    return [*interpreter_words(), program, *sys.argv[1:]]


def start_again(arguments, record):
    """Becomes `tenure run` of this very process, with a report and a record if this is named. Returns only by CannotRun."""
    if os.environ.get(STARTED_AGAIN):
        raise CannotRun(
            "it was started under `tenure run`, but the library was not loaded into it, or does not "
            "know this interpreter: `tenure doctor --python %s` says why" % sys.executable
        )
    options = ["-o", record] if record else ["--no-report"]
    command = [tenure_program(), "run", *options, "--", *words_of_this_process(arguments)]
    sys.stdout.flush()
    sys.stderr.flush()
    os.environ[STARTED_AGAIN] = str(os.getpid())
    try:
        os.execv(command[0], command)
    except OSError as error:
        os.environ.pop(STARTED_AGAIN, None)
        raise CannotRun("%s cannot be started: %s" % (command[0], error.strerror))
