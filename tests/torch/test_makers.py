"""What made each block, against torch's own trace: the operation, the node, the line, and what it is to the model."""

from __future__ import annotations

import collections
import json
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest

LEAST = 64 << 10  # blocks from here on are counted one by one, however busy the machine is

# Behind the lines: nodes whose backward makes big blocks.
STEP = """
import json, os, sys
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 64, 5, bias=False)
        self.norm = nn.LayerNorm(28, elementwise_affine=False)
        self.linear = nn.Linear(64 * 27 * 28, 64, bias=False)

    def forward(self, x):
        y = self.conv(x)  # ConvolutionBackward0
        y = torch.relu(y)  # ReluBackward0
        y = self.norm(y)  # NativeLayerNormBackward0
        z = y * y  # MulBackward0
        z = z[:, :, 1:]  # SliceBackward0
        z = z.flatten(1)
        h = self.linear(z)  # MmBackward0 TBackward0
        return torch.sigmoid(h)


def step():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(24, 16, 32, 32, requires_grad=True)
    out = model(x)
    loss = nn.functional.mse_loss(out, torch.zeros_like(out))
    loss.backward()
    optimizer.step()
    return model, optimizer, x


if len(sys.argv) > 1:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as trace:
        kept = step()
    trace.export_chrome_trace(sys.argv[1])
else:
    kept = step()
storages = {}
import gc
for thing in gc.get_objects():
    if torch.Tensor in type(thing).__mro__:
        storage = thing.untyped_storage()
        storages[storage.data_ptr()] = storage.nbytes()
        if thing.is_leaf and thing.grad is not None:
            storage = thing.grad.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
print(json.dumps([size for size in storages.values() if size >= 65536]))
sys.stdout.flush()
os._exit(0)
"""


def run_step(env: Callable[[str], str], folder: Path, *args: str) -> List[str]:
    (folder / "step.py").write_text(STEP, encoding="utf-8")
    return [env("torch"), "step.py", *args]


def outermost(operations: List[Any], at: float, thread: Any) -> str:
    around = [o for o in operations if o["tid"] == thread and o["ts"] <= at <= o["ts"] + o["dur"]]
    return max(around, key=lambda o: o["dur"])["name"] if around else ""


def traced(trace: Path) -> Dict[str, Tuple[int, int]]:
    """{outermost operation: (blocks, bytes)} of the blocks from LEAST up, as the profiler saw them."""
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    operations = [e for e in events if e.get("cat") == "cpu_op"]
    made: Dict[str, Tuple[int, int]] = {}
    for event in events:
        size = event.get("args", {}).get("Bytes", 0) if event.get("name") == "[memory]" else 0
        if size < LEAST:
            continue
        name = outermost(operations, event["ts"], event["tid"])
        name = name.replace("autograd::engine::evaluate_function: ", "backward of ")
        count, total = made.get(name, (0, 0))
        made[name] = count + 1, total + size
    return made


@pytest.fixture(scope="module")
def step(env, tenure, tmp_path_factory) -> Any:
    """What torch says of the step, and what Tenure does: trace, sizes of storages, figures, findings."""
    folder = tmp_path_factory.mktemp("step")
    subprocess.run(run_step(env, folder, "trace.json"), cwd=folder, check=True, capture_output=True)
    command = [tenure, "run", "-o", "record", "--json", "found.json", "--"]
    done = subprocess.run(
        [*command, *run_step(env, folder)], cwd=folder, capture_output=True, text=True, check=True
    )
    show = [tenure, "show", "record", "--figures", "figures.json"]
    subprocess.run(show, cwd=folder, check=True, capture_output=True)
    figures = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return traced(folder / "trace.json"), json.loads(done.stdout), figures["sites"], found


def big_sites(sites: List[Any]) -> List[Any]:
    return [
        s for s in sites if s["kind"] == "tensor" and s["total_bytes"] >= LEAST * s["total_count"]
    ]


def test_each_operation_made_what_the_profiler_says(step):
    truth, _, sites, _ = step
    seen: Dict[str, Tuple[int, int]] = collections.defaultdict(lambda: (0, 0))
    for site in big_sites(sites):
        op = site["op"]
        # "mul_Tensor" is aten::mul: the trace leaves out which of several variants it was
        names = [n for n in truth if n == op or f"{op}_".startswith(n.replace("aten::", "") + "_")]
        name = max(names, key=len, default=op)
        seen[name] = seen[name][0] + site["total_count"], seen[name][1] + site["total_bytes"]
    assert dict(seen) == truth


def test_blocks_of_backward_are_told_at_the_line_of_their_node(step):
    lines = STEP.splitlines()
    backward = [s for s in big_sites(step[2]) if s["op"].startswith("backward of ")]
    assert len(backward) >= 6
    for site in backward:
        node = site["op"].replace("backward of ", "")
        assert node in lines[site["line"] - 1].partition("#")[2].split(), site


def test_live_tensors_are_the_storages_that_the_collector_knows(step):
    _, storages, sites, _ = step
    live = [s for s in big_sites(sites) if s["live_count"]]
    assert sum(s["live_count"] for s in live) == len(storages)
    assert sum(s["live_bytes"] for s in live) == sum(storages)
