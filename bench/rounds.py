"""The workloads of bench/, one run of each under a tool, and figures that are kept between runs of the bench."""

import datetime
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import envs  # noqa: E402

BENCH = ROOT / "bench"
TENURE = ROOT / "build" / "bin" / "tenure"
TOOLS = ("plain", "tenure", "observe", "memray", "heaptrack", "jemalloc", "tcmalloc", "mimalloc")
HEAPS = {
    "jemalloc": "libjemalloc.so.2",
    "tcmalloc": "libtcmalloc_minimal.so.4",
    "mimalloc": "libmimalloc.so.2",
}
# First word of a workload's name -> its environment, where that is not its name.
ENVIRONMENTS = {"keras": "tf2", "numpy": "tools", "python": "tools"}
LONGEST = 600  # seconds of one run


@dataclass
class Workload:
    name: str
    program: List[str]
    paths: List[str]  # PYTHONPATH
    has_memray: bool


@dataclass
class Measured:
    """One run. Seconds, but for memory in KiB and what is written in bytes."""

    cpu: float  # of the steady loop, all threads
    steady: float  # the same by the clock
    young: float  # processor time of the same loop at the program's beginning
    peak: float
    start_up: float  # from the command to the first line of the program
    end: float  # from its last line to the return of the command: teardown, and the verdict
    whole: float  # the command from start to return
    whole_cpu: float  # processor time of all its processes
    written: float  # bytes that stay on disk
    resident: float = 0  # at Tenure's last look
    parts: float = 0  # the sum of the parts that Tenure tells of it
    unknown: float = 0  # one of these parts: live memory that is not counted, or anything else


@dataclass
class Row:
    """All rounds of a workload: per round, figures by tool."""

    rounds: List[Dict[str, Measured]] = field(default_factory=list)
    commit: str = ""
    date: str = ""
    loads: List[float] = field(default_factory=list)  # load averages meanwhile


def output_of(*words: str) -> str:
    return subprocess.run(
        words, stdout=subprocess.PIPE, check=True, text=True, cwd=ROOT
    ).stdout.strip()


def site_packages(python: str) -> str:
    return output_of(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")


def version_of(python: str) -> str:
    return output_of(python, "-c", "import sys; print(sys.version_info[:2])")


def python_workload(script: Path) -> Optional[Workload]:
    """On the interpreter that has memray where the framework runs on it; None: its environment cannot be had."""
    word = script.stem.partition("_")[0]
    tools = envs.path("tools")
    try:
        own = envs.path(ENVIRONMENTS.get(word, word))
    except envs.EnvError as error:
        print(f"{script.stem} is left out: {error}", file=sys.stderr)
        return None
    has_memray = own == tools or version_of(own) == version_of(tools)
    paths = [str(BENCH)] + ([site_packages(own)] if has_memray and own != tools else [])
    return Workload(script.stem, [tools if has_memray else own, str(script)], paths, has_memray)


def native_workload(source: Path, folder: Path) -> Workload:
    native = folder / source.stem
    flags = ["-O2", "-g", "-std=c++17", "-pthread"]
    subprocess.run(["g++", *flags, "-o", str(native), str(source)], check=True)
    return Workload(source.stem, [str(native)], [], has_memray=False)


def names() -> List[str]:
    files = [*(BENCH / "workloads").glob("*.py"), *(BENCH / "workloads").glob("*.cpp")]
    return sorted(file.stem for file in files if file.stem != "big_heap")  # of bench/snapshot.py


def workload(name: str, folder: Path) -> Optional[Workload]:
    script = BENCH / "workloads" / f"{name}.py"
    return (
        python_workload(script)
        if script.exists()
        else native_workload(script.with_suffix(".cpp"), folder)
    )


def heap_library(tool: str) -> Optional[str]:
    known = output_of("/sbin/ldconfig", "-p")
    lines = (line.rpartition(" => ") for line in known.splitlines() if HEAPS[tool] in line)
    return next((path for _, _, path in lines), None)


def command(tool: str, work: Workload, folder: Path) -> Optional[List[str]]:
    """None: this tool cannot run it, or is not here."""
    out = str(folder / "out" / "record")
    if tool == "plain":
        return work.program
    if tool in ("tenure", "observe"):
        options = ["--observe"] if tool == "observe" else []
        return [str(TENURE), "run", "--quiet", *options, "-o", out, "--", *work.program]
    if tool in HEAPS:
        library = heap_library(tool)
        return ["env", f"LD_PRELOAD={library}", *work.program] if library else None
    if tool == "heaptrack":
        return ["heaptrack", "-o", out, *work.program] if shutil.which("heaptrack") else None
    if not work.has_memray:
        return None
    return [work.program[0], "-m", "memray", "run", "-q", "-f", "-o", out, *work.program[1:]]


def bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def told(output: bytes) -> List[float]:
    """The line of bench/measured.py; a tool may print lines of its own."""
    for line in output.decode(errors="replace").splitlines():
        words = line.split()
        if len(words) == 6 and words[0][:1].isdigit():
            return [float(word) for word in words]
    raise RuntimeError(f"no figures in {output!r}")


def parts_of(folder: Path) -> Dict[str, float]:
    """Resident memory as Tenure tells it, in KiB."""
    findings = folder / "out" / "record" / "findings.json"
    if not findings.exists():
        return {}
    parts = json.loads(findings.read_text())["memory"]["parts"]
    resident, unknown = parts.pop("resident_bytes"), parts["unknown_bytes"]
    return {
        "resident": resident / 1024,
        "parts": sum(parts.values()) / 1024,
        "unknown": unknown / 1024,
    }


def measure(tool: str, work: Workload, folder: Path) -> Optional[Measured]:
    words = command(tool, work, folder)
    if words is None:
        return None
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environ = {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(work.paths)}
    before, began = os.times(), time.monotonic()
    done = subprocess.run(
        words,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=LONGEST,
    )
    returned, after = time.monotonic(), os.times()
    steady, cpu, peak, started, ended, young = told(done.stdout)
    return Measured(
        cpu=cpu,
        steady=steady,
        young=young,
        peak=peak,
        start_up=started - began,
        end=returned - ended,
        whole=returned - began,
        whole_cpu=(after.children_user + after.children_system)
        - (before.children_user + before.children_system),
        written=bytes_in(folder / "out"),
        **parts_of(folder),
    )


def measure_round(work: Workload, folder: Path, tools: List[str], row: Row) -> None:
    """All take turns, so that a busy machine slows them alike."""
    found = {tool: measure(tool, work, folder) for tool in tools}
    row.rounds.append({tool: m for tool, m in found.items() if m is not None})
    row.loads.append(os.getloadavg()[0])
    if "tenure" in found:  # rounds of other tools alone may be added later
        row.commit = output_of("git", "rev-parse", "--short", "HEAD")
        row.date = str(datetime.date.today())


def load(keep: Optional[Path]) -> Dict[str, Row]:
    if keep is None or not keep.exists():
        return {}
    rows: Dict[str, Dict[str, Any]] = json.loads(keep.read_text())
    return {
        name: Row(
            [{tool: Measured(**figures) for tool, figures in r.items()} for r in row["rounds"]],
            row["commit"],
            row["date"],
            row["loads"],
        )
        for name, row in rows.items()
    }


def save(keep: Optional[Path], rows: Dict[str, Row]) -> None:
    if keep is None:
        return
    beside = keep.with_suffix(".new")
    beside.write_text(json.dumps({name: asdict(row) for name, row in rows.items()}))
    beside.replace(keep)
