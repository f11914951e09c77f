"""One run of a program of bench/programs, plain or under Tenure, with everything its process tree took.

Processor time is the kernel's account of the whole tree: `perf stat` follows every process that is made, also the copies
that walk a heap, which nobody waits for and which wait4() does not tell. Without perf it is that of a control group, and
where neither can be had that of the processes that were waited for, which is said.
"""

import contextlib
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import envs  # noqa: E402

PROGRAMS = ROOT / "bench" / "programs"
TENURE = ROOT / "build" / "bin" / "tenure"
# Program -> its environment.
ENVIRONMENTS = {
    "python_pass": "numpy",
    "import_pandas": "wild",
    "import_torch": "torch",
    "import_tensorflow": "tf2",
    "torch_nano_gpt": "torch",
    "sklearn_rfe": "wild",
    "pandas_reports": "wild",
    "matplotlib_plots": "wild",
    "pytest_suite": "tools",
    "http_server": "numpy",
}
REQUESTS = 2000  # to a server, one after the other
LONGEST = 600  # seconds of one run
GROUP = Path("/sys/fs/cgroup/cpuacct")  # of the first version; the second has cpu.stat


@dataclass
class Run:
    """Seconds, but for memory in MiB and told costs."""

    cpu: float  # of the whole tree
    clock: float  # the command from start to return
    first: float  # from the command to the program's first line
    after: float  # from its last line to the return of the command
    resident: float = 0  # most of the whole tree; 0: not asked for
    p99: float = 0  # of a server's answers
    told: Dict[str, Any] = field(default_factory=dict)  # `cost` of findings.json


class Tree:
    """Counts the processor time of one command's process tree."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "perf.txt"
        self.before = os.times()
        self.group: Optional[Path] = None
        if shutil.which("perf") is None:
            self.group = self.make_group()

    @staticmethod
    def make_group() -> Optional[Path]:
        group = GROUP / f"tenure-bench-{os.getpid()}-{time.monotonic_ns()}"
        try:
            group.mkdir()
        except OSError:
            return None
        return group

    def how(self) -> str:
        if self.group:
            return "control group"
        return "perf stat" if shutil.which("perf") else "wait4, without copies that walk a heap"

    def command(self, words: List[str]) -> List[str]:
        if self.group:
            script = f'echo $$ > "{self.group}/cgroup.procs"; exec "$@"'
            return ["sh", "-c", script, "sh", *words]
        if shutil.which("perf") is None:
            return words
        return ["perf", "stat", "-x,", "-e", "task-clock", "-o", str(self.file), "--", *words]

    def seconds(self) -> float:
        """Once the command has returned; waits for processes that nobody waited for."""
        if self.group:
            while (self.group / "cgroup.procs").read_text().strip():
                time.sleep(0.01)
            used = int((self.group / "cpuacct.usage").read_text()) / 1e9
            self.group.rmdir()
            return used
        if self.file.exists():
            lines = self.file.read_text().splitlines()
            return sum(float(x.split(",")[0]) for x in lines if "task-clock" in x) / 1000
        after = os.times()
        return after[2] + after[3] - self.before[2] - self.before[3]


def family(pid: int) -> List[int]:
    """The process and all below it."""
    found = [pid]
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            children = Path(f"/proc/{pid}/task/{task}/children").read_text().split()
            for child in children:
                found += family(int(child))
    return found


def own_pages(pid: int) -> float:
    """MiB of a process; pages it shares with others count in part."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0


class MemoryWatch(threading.Thread):
    """Most that the tree below a process had resident at once. Looking disturbs, so that such a run is not timed."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.most, self.over = pid, 0.0, threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.03):
            self.most = max(self.most, sum(own_pages(pid) for pid in family(self.pid)))


@dataclass
class Output:
    """What the program wrote: lines with a time of the monotonic clock behind a word, and when each came."""

    began: float
    first: float = 0
    times: Dict[str, float] = field(default_factory=dict)
    waits: List[float] = field(default_factory=list)  # of a server's answers

    def read(self, stream: Any) -> None:
        for line in stream:
            self.first = self.first or time.monotonic()
            words = line.split()
            if len(words) == 2 and words[0] in ("working", "done"):
                self.times[words[0]] = float(words[1])
            if len(words) == 2 and words[0] == "port":
                self.waits = ask(int(words[1]))


def ask(port: int) -> List[float]:
    """Seconds of each of a server's answers; the last one ends it."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    waits = []
    for number in range(REQUESTS):
        began = time.perf_counter()
        link.request("GET", "/stop" if number == REQUESTS - 1 else "/page")
        link.getresponse().read()
        waits.append(time.perf_counter() - began)
    link.close()
    return waits


def command_of(program: str, tool: str, record: Path) -> List[str]:
    words = [envs.path(ENVIRONMENTS[program]), str(PROGRAMS / f"{program}.py")]
    return words if tool == "plain" else [str(TENURE), "run", "-o", str(record), "--", *words]


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="tenure-tree-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def told_cost(record: Path) -> Dict[str, Any]:
    findings = record / "findings.json"
    if not findings.exists():
        return {}
    cost: Dict[str, Any] = json.loads(findings.read_text(encoding="utf-8"))["cost"]
    return cost


def measure(program: str, tool: str, watches_memory: bool = False) -> Run:
    with scratch() as folder:
        tree = Tree(folder)
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        words = command_of(program, tool, folder / "record")
        output = Output(time.monotonic())
        with subprocess.Popen(
            words if watches_memory else tree.command(words),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env={**os.environ, **threads},
        ) as running:
            memory = MemoryWatch(running.pid)
            if watches_memory:
                memory.start()
            output.read(running.stdout)
            code = running.wait(LONGEST)
        returned = time.monotonic()
        memory.over.set()
        if code != 0 or "done" not in output.times:
            raise RuntimeError(f"{' '.join(words)} ended with {code}")
        waits = sorted(output.waits)
        return Run(
            cpu=0 if watches_memory else tree.seconds(),
            clock=returned - output.began,
            first=output.first - output.began,
            after=returned - output.times["done"],
            resident=memory.most,
            p99=waits[len(waits) * 99 // 100] if waits else 0,
            told=told_cost(folder / "record"),
        )
