"""What the Python tests share: the program under test, the environments, the interpreters.

A test that needs a framework asks for `env("torch")`. Where that environment cannot be had the test
is skipped with the reason, or fails under `run_tests.py --require-all`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import envs  # noqa: E402
import find_python  # noqa: E402

SCHEMA = ROOT / "docs" / "findings.schema.json"

# A shell that starts us in the background ignores these, and programs under test would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for ignored in (signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)

# Hours long: only `make soak` runs these.
# The users' programs need a machine with nothing else to do: what is looked at, and how closely, depends on the time it takes.
collect_ignore = [] if os.environ.get("TENURE_SOAK") else ["soak", "users"]


@dataclass
class Outcome:
    """One run of tenure. `findings` is None when it wrote no findings file."""

    returncode: int
    stdout: str
    stderr: str
    findings: Optional[Dict[str, Any]]
    folder: Path  # where it ran; the record is below

    @property
    def adapters_off(self) -> Dict[str, str]:
        """{part of an adapter that is off: why}."""
        losses = self.findings["losses"] if self.findings else {}
        return {part: why for part, why in losses.items() if part.startswith("adapter.")}


@dataclass
class Ended:
    """How one run ended: a negative code is the signal that killed it."""

    code: int
    stdout: bytes
    stderr: bytes


@dataclass
class Pair:
    """The same program, plain and under Tenure."""

    plain: Ended
    traced: Ended
    findings: Dict[str, Any]
    record: Path


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def tenure() -> str:
    path = Path(os.environ.get("TENURE_BIN") or ROOT / "build" / "bin" / "tenure")
    if not path.exists():
        pytest.fail(f"{path} does not exist: run `make build`, or set TENURE_BIN")
    return str(path)


@pytest.fixture(scope="session")
def env() -> Callable[[str], str]:
    """env("torch") -> its interpreter; the environment is made on first use.

    TENURE_TEST_ENVS=torch=torch-old has torch's tests run on an older torch.
    """
    others = dict(
        pair.split("=") for pair in os.environ.get("TENURE_TEST_ENVS", "").split(",") if pair
    )

    def interpreter(name: str) -> str:
        try:
            return envs.path(others.get(name, name))
        except envs.EnvError as error:
            if os.environ.get("TENURE_REQUIRE_ALL"):
                pytest.fail(str(error))
            pytest.skip(str(error))

    return interpreter


@pytest.fixture(scope="session")
def sabotaged() -> Callable[[Sequence[Tuple[str, str]], str], str]:
    """sabotaged([("jax._src.core", "Trace.__init__")], "odd") -> what goes before a program, see saboteur.txt."""
    text = (ROOT / "tests" / "saboteur.txt").read_text(encoding="utf-8")

    def head(changed: Sequence[Tuple[str, str]], way: str) -> str:
        return f"WAY = {way!r}\nCHANGED = {list(changed)!r}\n{text}"

    return head


@pytest.fixture(scope="session")
def pythons() -> List[str]:
    """Every CPython from 3.7 to 3.15 on this machine, oldest first."""
    found = (find_python.find(version) for version in find_python.SUPPORTED)
    return [path for path in found if path]


@pytest.fixture(scope="session")
def compile_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """compile_program(folder / "x.c", "-DX") -> path of the program; made once for the same words."""
    folder = tmp_path_factory.mktemp("compiled")
    made: Dict[Sequence[str], str] = {}

    def compile_once(source: Path, *flags: str, name: Optional[str] = None) -> str:
        key = (str(source), *flags, name or "")
        if key not in made:
            compiler = "g++" if source.suffix == ".cpp" else "gcc"
            target = folder / (name or f"{len(made)}-{source.stem}")
            target.parent.mkdir(parents=True, exist_ok=True)
            words = ["-g", "-O1", "-fno-builtin", "-w", "-o", str(target), str(source)]
            subprocess.run([compiler, *words, *flags, "-pthread", "-ldl"], check=True)
            made[key] = str(target)
        return made[key]

    return compile_once


def validate(findings: Dict[str, Any]) -> None:
    if not SCHEMA.exists():
        return
    import jsonschema

    jsonschema.validate(findings, json.loads(SCHEMA.read_text(encoding="utf-8")))


def with_json(args: Sequence[str], file: Path) -> List[str]:
    """`run` writes its findings to `file`, unless the test names a file itself."""
    args = [str(arg) for arg in args]
    own = args[: args.index("--")] if "--" in args else args
    if args[:1] != ["run"] or "--json" in own:
        return args
    return ["run", "--json", str(file), *args[1:]]


@pytest.fixture
def figures_of(run_tenure: Callable[..., Outcome]) -> Callable[..., Tuple[Outcome, Any]]:
    """figures_of([python, "x.py"]) runs the program and gives its Outcome and all figures of its record."""

    def run(command: Sequence[str]) -> Tuple[Outcome, Any]:
        done = run_tenure(["run", "-o", "record", "--", *command])
        assert done.returncode == 0, done.stderr
        figures = done.folder / "figures.json"
        shown = run_tenure(["show", "record", "--figures", str(figures)])
        assert shown.returncode == 0, shown.stderr
        return done, json.loads(figures.read_text(encoding="utf-8"))

    return run


def ended(command: List[str], **how: Any) -> Ended:
    done = subprocess.run(command, capture_output=True, timeout=120, **how)
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def both(tenure: str, tmp_path: Path) -> Callable[..., Pair]:
    """both([program, args]) runs it twice; the runs must not differ in what anybody could notice."""

    def run_both(
        command: Sequence[str],
        stdin: bytes = b"",
        environ: Optional[Dict[str, str]] = None,
        options: Sequence[str] = (),
        **how: Any,
    ) -> Pair:
        how = {"input": stdin, "env": {**os.environ, **(environ or {})}, **how}
        command = [str(word) for word in command]
        findings, record = tmp_path / "findings.json", tmp_path / "record.tenure"
        tenure_run = [tenure, "run", *options, "-o", str(record), "--json", str(findings), "--"]
        plain = ended(command, **how)
        traced = ended([*tenure_run, *command], **how)
        assert traced.stdout == plain.stdout
        assert traced.code == plain.code, traced.stderr.decode()
        assert traced.stderr.startswith(plain.stderr)
        return Pair(plain, traced, json.loads(findings.read_text(encoding="utf-8")), record)

    return run_both


def make_cgroup(root: str) -> Optional[Path]:
    folder = Path(root) / f"tenure-test-{os.getpid()}"
    limit = folder / ("memory.limit_in_bytes" if root.endswith("memory") else "memory.max")
    try:
        folder.mkdir()
        limit.write_text(str(200 << 20))
    except OSError:
        try_remove(folder)
        return None
    return folder


def try_remove(folder: Path) -> bool:
    try:
        folder.rmdir()
        return True
    except OSError:
        return False


@pytest.fixture
def small_cgroup() -> Iterator[Path]:
    """A cgroup with little memory, to be joined by writing a pid into the file that is returned."""
    folder = make_cgroup("/sys/fs/cgroup/memory") or make_cgroup("/sys/fs/cgroup")
    if not folder:
        pytest.skip("no cgroup with a memory limit can be made here")
    yield folder / "cgroup.procs"
    end = time.monotonic() + 60
    while not try_remove(folder) and time.monotonic() < end:
        time.sleep(0.05)


@pytest.fixture
def run_tenure(tenure: str, tmp_path: Path) -> Callable[..., Outcome]:
    """run_tenure(["run", "--", python, "x.py"]) runs in tmp_path and returns an Outcome."""
    runs = 0

    def run(
        args: Sequence[str],
        environ: Optional[Dict[str, str]] = None,
        cwd: Optional[Path] = None,
        stdin: Optional[str] = None,
        timeout: float = 180,
    ) -> Outcome:
        nonlocal runs
        runs += 1
        file = tmp_path / f"findings-{runs}.json"
        done = subprocess.run(
            [tenure, *with_json(args, file)],
            cwd=cwd or tmp_path,
            env={**os.environ, **(environ or {})},
            input=stdin,
            stdin=None if stdin is not None else subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
        )
        findings = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
        if findings is not None:
            validate(findings)
        return Outcome(done.returncode, done.stdout, done.stderr, findings, cwd or tmp_path)

    return run


@pytest.fixture
def run_on(
    env: Callable[[str], str], run_tenure: Callable[..., Outcome], tmp_path: Path
) -> Callable[..., Outcome]:
    """run_on("tf2", source): the source as program.py, in that environment."""

    def run(name: str, source: str, **more: Any) -> Outcome:
        program = tmp_path / "program.py"
        program.write_text(source, encoding="utf-8")
        return run_tenure(["run", "--", env(name), str(program)], **more)

    return run


@pytest.fixture
def run_sabotaged(
    run_on: Callable[..., Outcome],
    sabotaged: Callable[[Sequence[Tuple[str, str]], str], str],
) -> Callable[..., Outcome]:
    """run_sabotaged("torch", points, "odd", source): the source on a framework with these points changed."""

    def run(
        name: str, points: Sequence[Tuple[str, str]], way: str, source: str, **more: Any
    ) -> Outcome:
        return run_on(name, sabotaged(points, way) + source, **more)

    return run
