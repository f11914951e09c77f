"""Started by whatever starts programs, in whatever surroundings: same words, same end, a record that can be read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MIB = 1 << 20
WORK = "kept = bytearray(30_000_000); print('ran', len(kept)); exit(6)"
NOBODY = 65534


@pytest.fixture
def program(env):
    """A program that holds 30 MB, says so and ends with 6."""
    return [env("tools"), "-c", WORK]


@pytest.fixture
def wrapped(tenure, tmp_path, program):
    """wrapped("nohup") runs the program behind that command, with and without Tenure; gives Tenure's words."""

    def run(*before: str, **how) -> str:
        inside = [tenure, "run", "-o", str(tmp_path / "r"), "--", *program]
        how = {"stdin": subprocess.DEVNULL, "cwd": tmp_path, **how}
        plain, traced = (
            subprocess.run([*before, *words], capture_output=True, text=True, timeout=120, **how)
            for words in (program, inside)
        )
        assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode), traced.stderr
        return traced.stderr

    return run


def read_back(tenure: str, record: Path) -> str:
    shown = subprocess.run([tenure, "show", str(record)], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


@pytest.mark.parametrize(
    "before",
    [
        ["timeout", "100"],
        ["nohup"],
        ["setsid", "--wait"],
        ["nice", "-n", "5"],
        ["env", "-u", "HOME"],
    ]
    + [["timeout", "--foreground", "100"], ["stdbuf", "-o0"], ["chrt", "--idle", "0"]],
    ids=" ".join,
)
def test_behind_another_command(wrapped, tenure, tmp_path, before):
    if not shutil.which(before[0]):
        pytest.skip(f"no {before[0]} here")
    assert "Until then: clean" in wrapped(*before)
    read_back(tenure, tmp_path / "r")


@pytest.mark.parametrize(
    "before", [["timeout", "100"], ["setsid", "--wait"], ["env", "-i"], ["nohup"]]
)
def test_in_front_of_another_command(both, program, before):
    pair = both([*before, *program])
    assert pair.plain.code == 6
    assert pair.findings["memory"]["peak_bytes"] >= 30_000_000


def test_time_runs_out(tenure, tmp_path, env):
    words = [
        env("tools"),
        "-c",
        "import time; b = bytearray(9 << 20); print('in', flush=True); time.sleep(100)",
    ]
    run = ["timeout", "2", tenure, "run", "-o", str(tmp_path / "r"), "--", *words]
    done = subprocess.run(run, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (124, "in\n")
    assert "SIGTERM" in read_back(tenure, tmp_path / "r")


def test_words_from_xargs(tenure, tmp_path, program):
    run = ["xargs", tenure, "run", "--quiet", "-o", str(tmp_path / "r"), "--", program[0], "-c"]
    code = "import sys; print(sys.argv[1:])"
    done = subprocess.run([*run, code], input="one two\nthree\n", capture_output=True, text=True)
    assert done.stdout == "['one', 'two', 'three']\n"


def test_a_namespace_of_its_own(wrapped, tenure, tmp_path):
    """As in a container: the program is process 1 or 2 of its world."""
    if subprocess.run(["unshare", "-pf", "--mount-proc", "true"], capture_output=True).returncode:
        pytest.skip("no namespace can be made here")
    assert "Until then: clean" in wrapped("unshare", "-pf", "--mount-proc")
    assert "Peak" in read_back(tenure, tmp_path / "r")


def test_a_namespace_inside(both, program):
    if subprocess.run(["unshare", "-pf", "--mount-proc", "true"], capture_output=True).returncode:
        pytest.skip("no namespace can be made here")
    pair = both(["unshare", "-pf", "--mount-proc", *program])
    assert pair.plain.code == 6


def test_another_root_inside(both, tmp_path):
    """The supervisor's socket has no place in a file system."""
    if os.geteuid() != 0:
        pytest.skip("only root can change the root")
    code = "import os; os.chroot('/'); os.chdir('/'); b = bytearray(9 << 20); print(len(b))"
    both([sys.executable, "-c", code])


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(tenure, tmp_path, program, closed):
    run = f"{tenure} run -o {tmp_path / 'r'} --json {tmp_path / 'j'} --"
    ends = []
    for way in ("", run):
        out = tmp_path / f"out{len(ends)}"
        command = f'{way} "$1" -c "$2" {closed}'
        if ">&-" not in closed.replace("2>&-", ""):
            command += f" >{out}"
        done = subprocess.run(["/bin/sh", "-c", command, "sh", program[0], program[2]])
        ends.append((done.returncode, out.read_bytes() if out.exists() else None))
    assert ends[0] == ends[1]
    read_back(tenure, tmp_path / "r")


def test_a_pipe_is_read_by_the_program_alone(both, program):
    code = "import sys; first = sys.stdin.readline(); b = bytearray(9 << 20); print(first, len(sys.stdin.read()))"
    both([program[0], "-c", code], stdin=b"first\n" + b"x" * 200_000)


def test_a_pipe_that_is_left_for_the_next(tenure, tmp_path, program):
    """What the program did not read is still there for whoever reads after it."""
    code = f"{tenure} run --quiet -o {tmp_path / 'r'} -- sh -c 'read a; echo got $a'; read b; echo left $b"
    done = subprocess.run(["sh", "-c", code], input="one\ntwo\n", capture_output=True, text=True)
    assert done.stdout == "got one\nleft two\n"


def test_very_long_words(both, program):
    words = ["w" * 100_000] * 15
    pair = both([program[0], "-c", "import sys; print(sum(map(len, sys.argv)))", *words])
    assert b"15000" in pair.plain.stdout


def test_words_that_are_no_text(both, program):
    code = "import os, sys; print([os.fsencode(w) for w in sys.argv])"
    both([program[0], "-c", code, b"\xff\xfe".decode(errors="surrogateescape"), "\udc80"])


def test_a_folder_whose_name_is_no_text(both, program, tmp_path):
    folder = bytes(tmp_path) + b"/f\xf6lder"
    os.mkdir(folder)
    both(program, cwd=folder)


@pytest.mark.parametrize("gone", [["HOME"], ["PATH"], ["HOME", "USER", "LANG", "TMPDIR", "TERM"]])
def test_variables_that_are_missing(both, program, gone):
    kept = {name: value for name, value in os.environ.items() if name not in gone}
    assert both(program, env=kept).plain.code == 6


def test_no_variables_at_all(both, program):
    pair = both(program, env={})
    assert pair.findings["memory"]["peak_bytes"] >= 30_000_000


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user(tenure, tmp_path, program):
    """Who has no home, no rights on the folder, and a python that only root may read everything of."""
    temporary = tmp_path / "temporary"
    temporary.mkdir(mode=0o777)
    temporary.chmod(0o777)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    words = ["/bin/sh", "-c", "dd if=/dev/zero bs=5M count=2 2>/dev/null | wc -c; id -u; exit 4"]
    copy = tmp_path / "tenure"
    for part in ("bin", "lib"):
        shutil.copytree(Path(tenure).resolve().parent.parent / part, copy / part)
    environ = {"PATH": "/usr/bin:/bin", "TMPDIR": str(temporary)}
    done = subprocess.run(
        [str(copy / "bin" / "tenure"), "run", "--", *words],
        **{"user": NOBODY, "group": NOBODY, "cwd": "/", "env": environ},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (4, f"{10 << 20}\n{NOBODY}\n"), done.stderr
    (record,) = temporary.glob("tenure-*")
    assert record.stat().st_mode & 0o777 == 0o700
    read_back(tenure, record)


def test_a_program_that_was_stripped(both, tmp_path, compile_program):
    source = tmp_path / "small.c"
    source.write_text("#include <stdlib.h>\nint main() { return malloc(30000000) ? 8 : 9; }\n")
    program = compile_program(source)
    subprocess.run(["strip", "--strip-all", program], check=True)
    pair = both([program])
    assert pair.plain.code == 8
    assert pair.findings["memory"]["live_bytes"] >= 30_000_000
    assert pair.findings["verdict"] == "clean"


@pytest.mark.parametrize(
    "library", ["libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2"]
)
def test_another_heap_that_is_preloaded(both, program, library):
    # Asked of the loader as it will be: jemalloc's thread-local memory leaves no room for dlopen.
    environ = {**os.environ, "LD_PRELOAD": library}
    if subprocess.run(["true"], env=environ, capture_output=True).stderr:
        pytest.skip(f"no {library} here")
    pair = both(program, environ={"LD_PRELOAD": library})
    assert pair.plain.code == 6
    assert pair.findings["memory"]["peak_bytes"] >= 30_000_000
    assert "another heap" in pair.findings["losses"]["territory"]
