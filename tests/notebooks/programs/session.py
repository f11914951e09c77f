"""session.py KERNEL: a kernel and its client. Reads one JSON per line and answers each with one.

{"run": TEXT} gives the outputs of a cell; {"run": TEXT, "interrupt": WORD} interrupts it once it has printed the word.
{"restart": 1}, {"kill": 1} and {"end": 1} act on the kernel.
"""

import json
import os
import signal
import sys

from jupyter_client import KernelManager

manager = KernelManager(kernel_name=sys.argv[1])


def connect():
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=300)
    return client


def run(client, request):
    asked = client.execute(request["run"], store_history=not request.get("hidden"))
    outputs = []
    while True:
        message = client.get_iopub_msg(timeout=300)
        if message["parent_header"].get("msg_id") != asked:
            continue
        kind, content = message["msg_type"], message["content"]
        if kind == "status" and content["execution_state"] == "idle":
            return outputs
        if kind == "stream" and request.get("interrupt", "\0") in content["text"]:
            manager.interrupt_kernel()
        text = content.get("text") or content.get("data", {}).get("text/plain") or content.get("ename")
        if text:
            outputs.append([kind, text])


def kill_program(client):
    """The kernel itself and not `tenure run` above it, as the OOM killer does."""
    pid = [text for kind, text in run(client, {"run": "import os; print(os.getpid())"})]
    os.kill(int(pid[0]), signal.SIGKILL)


manager.start_kernel(stderr=open("kernel.stderr", "w"))
client = connect()
for line in sys.stdin:
    request = json.loads(line)
    answer = []
    if "run" in request:
        answer = run(client, request)
    elif "kill" in request:
        kill_program(client)
        manager.provisioner.process.wait()
    elif "restart" in request:
        client.stop_channels()
        manager.restart_kernel(stderr=open("kernel.stderr", "w"))
        client = connect()
    print(json.dumps(answer), flush=True)
client.stop_channels()
if manager.is_alive():
    manager.shutdown_kernel()
