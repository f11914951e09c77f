"""Programs that keep memory in a way that has a known act against it (src/report/texts/acts.json), by the act's name.

A line that ends in `#leak` (in C++ `//leak`) is only in the program that leaks, one that ends in `#act` only in its twin, in which the act
was done. 200 rounds keep some 64 KiB each.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple

HEAD = """import gc, sys
def work():
    return sum(range(30_000)) * 0
def rounds(count=200):
    for number in range(count):
        work()
        yield number
"""


class Program(NamedTuple):
    source: str
    says: str  # a word of the act that its fix must have
    env: str = "numpy"
    kind: str = "retained-python"
    severity: str = "leak"
    caller: str = ""  # the source is of an extension in C, and this uses it

    def leaking(self) -> str:
        return self.without(("#act", "//act"))

    def mended(self) -> str:
        return self.without(("#leak", "//leak"))

    def without(self, marks: Tuple[str, str]) -> str:
        lines = [line for line in self.source.splitlines() if not line.endswith(marks)]
        is_native = self.env == "cpp" or self.caller
        return ("" if is_native else HEAD) + "\n".join(lines) + "\n"


PROGRAMS: Dict[str, Program] = {
    "traceback": Program(
        """
import traceback
failures = []
def parse(number):
    data = bytearray(64_000)
    raise ValueError(number)
def main():
    for number in rounds():
        try:
            parse(number)
        except ValueError as error:
            traceback.clear_frames(error.__traceback__)  #act
            failures.append(error)
main()
""",
        "clear_frames",
        kind="retained-frame",
    ),
    "frame": Program(
        """
import traceback
calls = []
def handle(number):
    data = bytearray(64_000)
    calls.append(sys._getframe())  #leak
    calls.append(traceback.extract_stack())  #act
def main():
    for number in rounds():
        handle(number)
main()
""",
        "extract_stack",
        kind="retained-frame",
    ),
    "figures": Program(
        """
import io
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
def plot(number):
    fig, ax = plt.subplots()
    ax.plot(np.random.rand(8000))
    fig.savefig(io.BytesIO(), dpi=20)
    plt.close(fig)  #act
plt.rcParams["figure.max_open_warning"] = 0
for number in rounds(40):
    plot(number)
""",
        "plt.close",
        env="wild",
    ),
    "logging_handlers": Program(
        """
import io, logging
log = logging.getLogger("jobs")
log.propagate = False
class Job:
    def __init__(self, number):
        self.data = bytearray(64_000)
        self.handler = logging.StreamHandler(io.StringIO())
        self.handler.job = self
        log.addHandler(self.handler)
    def end(self):
        log.removeHandler(self.handler)  #act
        self.handler.close()
        del self.handler.job  #act
def main():
    for number in rounds():
        job = Job(number)
        job.end()
main()
""",
        "removeHandler",
    ),
    "logging_filters": Program(
        """
import logging
log = logging.getLogger("jobs")
class Marks(logging.Filter):
    def __init__(self):
        super().__init__()
        self.data = bytearray(64_000)
def main():
    for number in rounds():
        marks = Marks()
        log.addFilter(marks)
        log.debug("begins")
        log.removeFilter(marks)  #act
main()
""",
        "removeFilter",
    ),
    "torch_hooks": Program(
        """
import torch
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
class Probe:
    def __init__(self):
        self.seen = torch.zeros(16_000)
        self.handle = model[0].register_forward_hook(self.look)
    def look(self, module, given, made):
        self.seen += 1
def main():
    with torch.no_grad():
        for number in rounds():
            probe = Probe()
            model(torch.ones(2, 8))
            probe.handle.remove()  #act
main()
""",
        "handle.remove()",
        env="torch",
    ),
    "signals": Program(
        """
from blinker import Signal
saved = Signal()
class View:
    def __init__(self):
        self.data = bytearray(64_000)
        saved.connect(self.refresh, weak=False)
    def refresh(self, sender):
        pass
    def close(self):
        saved.disconnect(self.refresh)  #act
        pass
def main():
    for number in rounds():
        view = View()
        view.close()
main()
""",
        "disconnect",
        env="wild",
    ),
    "exit_stack": Program(
        """
import contextlib
@contextlib.contextmanager
def lease(number):
    data = bytearray(64_000)
    yield data
def main():
    with contextlib.ExitStack() as stack:
        for number in rounds():
            data = stack.enter_context(lease(number))
            data[0] = 1
            del data
            stack.pop_all().close()  #act
main()
""",
        "pop_all",
    ),
    "sessions": Program(
        """
from sqlalchemy import create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
class Base(DeclarativeBase):
    pass
class Row(Base):
    __tablename__ = "rows"
    id: Mapped[int] = mapped_column(primary_key=True)
engine = create_engine("sqlite://")
Base.metadata.create_all(engine)
session = Session(engine, autoflush=False)
for number in rounds():
    row = Row(id=number)
    row.picture = bytearray(64_000)
    session.add(row)
    session.commit()  #act
    session.expunge_all()  #act
""",
        "expunge_all",
        env="wild",
    ),
    "tasks": Program(
        """
import asyncio
pending = set()
async def fetch(number):
    await asyncio.sleep(0)
    return bytearray(64_000)
async def main():
    for number in rounds():
        task = asyncio.ensure_future(fetch(number))
        pending.add(task)
        task.add_done_callback(pending.discard)  #act
        await asyncio.sleep(0)
        await asyncio.sleep(0)
asyncio.run(main())
""",
        "add_done_callback",
    ),
    "futures": Program(
        """
from concurrent.futures import ThreadPoolExecutor
def load(number):
    return bytearray(64_000)
submitted = []
with ThreadPoolExecutor(2) as pool:
    for number in rounds():
        submitted.append(pool.submit(load, number))
        submitted[-1].result()
        submitted.pop()  #act
""",
        "future",
    ),
    "queues": Program(
        """
import queue
inbox = queue.Queue()
for number in rounds():
    inbox.put(bytearray(64_000))
    inbox.get()  #act
""",
        "maxsize",
    ),
    "cache_of_method": Program(
        """
import functools
class Report:
    def __init__(self, number):
        self.data = bytearray(64_000)
    @functools.lru_cache(maxsize=None)  #leak
    @functools.cached_property  #act
    def total(self):
        return sum(self.data[:10])
def main():
    for number in rounds():
        report = Report(number)
        report.total()  #leak
        report.total  #act
main()
""",
        "cached_property",
    ),
    "cache": Program(
        """
import functools
@functools.lru_cache(maxsize=None)  #leak
@functools.lru_cache(maxsize=4)  #act
def load(number):
    return bytearray(64_000)
for number in rounds():
    load(number)
""",
        "maxsize",
    ),
    "weak_keys": Program(
        """
import weakref
masks = weakref.WeakKeyDictionary()
class Graph:
    pass
class Mask:
    def __init__(self, graph):
        self.graph = graph  #leak
        self.data = bytearray(64_000)
def main():
    for number in rounds():
        graph = Graph()
        masks[graph] = Mask(graph)
main()
""",
        "refer to their own key",
    ),
    "instances": Program(
        """
import weakref
class Session:
    everyone = []  #leak
    everyone = weakref.WeakSet()  #act
    def __init__(self):
        self.data = bytearray(64_000)
        self.everyone.append(self)  #leak
        self.everyone.add(self)  #act
def main():
    for number in rounds():
        Session()
main()
""",
        "WeakSet",
    ),
    "dataframe": Program(
        """
import numpy as np
import pandas as pd
class Feed:
    def __init__(self):
        self.history = pd.DataFrame()
    def update(self, number):
        self.history = pd.concat([self.history, pd.DataFrame({"x": np.random.rand(4000)})], ignore_index=True)
        self.history = self.history.tail(1000)  #act
feed = Feed()
for number in rounds():
    feed.update(number)
""",
        "df.tail(n)",
        env="wild",
    ),
    "bytearray": Program(
        """
class Reader:
    def __init__(self):
        self.buffer = bytearray()
    def feed(self, data):
        self.buffer += data
        del self.buffer[:len(data)]  #act
def main():
    reader = Reader()
    for number in rounds():
        reader.feed(bytes(40_000))
main()
""",
        "del buffer[:n]",
    ),
    "bytes": Program(
        """
class Reader:
    def __init__(self):
        self.text = b""
    def feed(self, data):
        self.text = self.text + data
        self.text = self.text[-100:]  #act
def main():
    reader = Reader()
    for number in rounds():
        reader.feed(bytes(40_000))
main()
""",
        "join",
    ),
    "text": Program(
        """
class Log:
    def __init__(self):
        self.text = ""
    def write(self, line):
        self.text = self.text + line
        self.text = self.text[-100:]  #act
def main():
    log = Log()
    for number in rounds():
        log.write("x" * 40_000)
main()
""",
        "join",
    ),
    "memory_file": Program(
        """
import io
out = io.BytesIO()
for number in rounds():
    out.write(bytes(60_000))
    out.seek(0)  #act
    out.truncate()  #act
""",
        "truncate()",
    ),
    "tensor": Program(
        """
import torch
history = torch.zeros(0)
for number in rounds():
    history = torch.cat([history, torch.ones(16_000)])
    history = history[-100:].clone()  #act
""",
        "torch.cat()",
        env="torch",
    ),
    "array": Program(
        """
import numpy as np
history = np.zeros(0)
for number in rounds():
    history = np.append(history, np.ones(8_000))
    history = history[-100:].copy()  #act
""",
        "np.concatenate",
    ),
    "images": Program(
        """
from PIL import Image
album = []
for number in rounds():
    image = Image.new("RGB", (4, 4))
    image.info["raw"] = bytearray(64_000)
    album.append(image)  #leak
    album.append(image.resize((2, 2)).tobytes())  #act
""",
        "thumbnail",
        env="wild",
    ),
    "images_of_library": Program(
        """
from PIL import Image
album = []
for number in rounds():
    image = Image.new("RGB", (160, 160))
    album.append(image)  #leak
    album.append(image.resize((2, 2)))  #act
""",
        "thumbnail",
        env="wild",
    ),
    "files": Program(
        """
import tempfile
def main():
    files = []
    for number in rounds():
        file = open(__file__, "rb", buffering=100_000)
        file.read(10)
        files.append(file)  #leak
        file.close()  #act
main()
""",
        "close",
    ),
    "thread_locals": Program(
        """
import threading
local = threading.local()
def main():
    local.seen = []
    for number in rounds():
        local.seen.append(bytearray(64_000))
        del local.seen[:]  #act
main()
""",
        "thread-local",
    ),
    "done_callbacks": Program(
        """
import asyncio
class Watcher:
    def __init__(self, future):
        self.data = bytearray(64_000)
        future.add_done_callback(self.done)
        future.remove_done_callback(self.done)  #act
    def done(self, future):
        pass
async def main():
    shutdown = asyncio.get_running_loop().create_future()
    for number in rounds():
        Watcher(shutdown)
asyncio.run(main())
""",
        "remove_done_callback",
    ),
    "connections": Program(
        """
import sqlite3
class Reports:
    def __init__(self):
        self.opened = []
    def total(self, number):
        connection = sqlite3.connect(":memory:")
        self.opened.append(connection)
        connection.execute("create table t (data blob)")
        connection.execute("insert into t values (zeroblob(64000))")
        value = connection.execute("select count(*) from t").fetchone()[0]
        connection.close()  #act
        return value
def main():
    reports = Reports()
    for number in rounds():
        reports.total(number)
main()
""",
        "connection.close()",
    ),
    "mappings": Program(
        """
import mmap
segments = {}
def segment(number):
    mapping = mmap.mmap(-1, 64 * 1024)
    mapping[::4096] = bytes(16)
    segments[number] = mapping
    mapping.close()  #act
def main():
    for number in rounds():
        segment(number)
main()
""",
        "mapping.close()",
        kind="shared-memory",
    ),
    "generators": Program(
        """
class Table:
    def __init__(self):
        self.open = []
    def rows(self):
        data = bytearray(64_000)
        while True:
            yield data[0]
    def first(self):
        rows = self.rows()
        self.open.append(rows)
        value = next(rows)
        rows.close()  #act
        return value
def main():
    table = Table()
    for number in rounds():
        table.first()
main()
""",
        "close()",
    ),
    "callbacks": Program(
        """
class Bus:
    def __init__(self):
        self.listeners = []
class Widget:
    def __init__(self, bus):
        self.data = bytearray(64_000)
        bus.listeners.append(self.changed)
    def changed(self):
        pass
    def close(self, bus):
        bus.listeners.remove(self.changed)  #act
        pass
def main():
    bus = Bus()
    for number in rounds():
        widget = Widget(bus)
        widget.close(bus)
main()
""",
        "unsubscribe",
    ),
    "deque": Program(
        """
from collections import deque
recent = deque()  #leak
recent = deque(maxlen=4)  #act
for number in rounds():
    recent.append(bytearray(64_000))
""",
        "maxlen",
    ),
    "set": Program(
        """
seen = set()
for number in rounds():
    seen.add(bytes([number]) * 64_000)
    seen.discard(bytes([number]) * 64_000)  #act
""",
        "discard",
    ),
    "dict": Program(
        """
class Service:
    def __init__(self):
        self.uploads = {}
    def put(self, number):
        self.uploads[number] = bytearray(64_000)
    def finish(self, number):
        return len(self.uploads[number])  #leak
        return len(self.uploads.pop(number))  #act
def main():
    service = Service()
    for number in rounds():
        service.put(number)
        service.finish(number)
main()
""",
        "pop",
    ),
    "context_variables": Program(
        """
import contextvars
request = contextvars.ContextVar("request")
tokens = []
def handle(number):
    token = request.set(bytearray(64_000))
    tokens.append(token)  #leak
    request.reset(token)  #act
def main():
    for number in rounds():
        handle(number)
main()
""",
        "variable.reset(token)",
    ),
    "coroutines": Program(
        """
class Server:
    def __init__(self):
        self.waiting = []
    async def serve(self):
        data = bytearray(64_000)
        await Pause()
        return data
    def accept(self):
        coroutine = self.serve()
        coroutine.send(None)
        self.waiting.append(coroutine)
        coroutine.close()  #act
class Pause:
    def __await__(self):
        yield
def main():
    server = Server()
    for number in rounds():
        server.accept()
main()
""",
        "await",
    ),
    "limit": Program(
        """
from collections import deque
recent = deque(maxlen=10**9)  #leak
recent = deque(maxlen=4)  #act
for number in rounds():
    recent.append(bytearray(64_000))
""",
        "limit",
        severity="warning",
    ),
    "shared_pointers": Program(
        """
#include <cstdio>
#include <memory>
#include <vector>
struct Node {
  std::vector<double> data = std::vector<double>(8000, 1.0);
  std::shared_ptr<Node> child;
  std::shared_ptr<Node> parent;  //leak
  std::weak_ptr<Node> parent;  //act
};
static double build(int number) {
  auto root = std::make_shared<Node>();
  root->child = std::make_shared<Node>();
  root->child->parent = root;
  return root->child->data[static_cast<size_t>(number % 8000)];
}
int main() {
  double sum = 0;
  for (int number = 0; number < 200; ++number) sum += build(number);
  std::printf("%g\\n", sum);
}
""",
        "weak_ptr",
        env="cpp",
        kind="native-growth",
    ),
    "free_on_each_path": Program(
        """
#include <cstdio>
#include <cstdlib>
#include <cstring>
static int parse(int number) {
  char* text = static_cast<char*>(std::malloc(60000));
  std::memset(text, number, 60000);
  if (number % 3 == 0) std::free(text);  //act
  if (number % 3 == 0) return -1;
  int first = text[0];
  std::free(text);
  return first;
}
int main() {
  long sum = 0;
  for (int number = 0; number < 600; ++number) sum += parse(number);
  std::printf("%ld\\n", sum);
}
""",
        "one path",
        env="cpp",
        kind="native-growth",
    ),
    "artists": Program(
        """
import numpy
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
canvas = FigureCanvasAgg(Figure())
ax = canvas.figure.add_subplot()
for number in rounds():
    ax.cla()  #act
    ax.plot(numpy.zeros(4_000))
""",
        "ax.cla()",
        env="wild",
    ),
    "memory_handler": Program(
        """
import logging.handlers
log = logging.getLogger("shop")
log.setLevel(logging.INFO)
log.propagate = False
handler = logging.handlers.MemoryHandler(10**9, target=logging.NullHandler())
log.addHandler(handler)
for number in rounds():
    log.info("order %s", bytearray(64_000))
    handler.flush()  #act
""",
        "flush()",
    ),
    "finalizers": Program(
        """
import weakref
class Handle:
    def __init__(self):
        self.page = bytearray(64_000)
        self.ended = weakref.finalize(self, self.close)
    def close(self):
        self.page = None
for number in rounds():
    handle = Handle()
    handle.ended.detach()  #act
""",
        "detach()",
    ),
    "atexit": Program(
        """
import atexit
class Connection:
    def __init__(self):
        self.data = bytearray(64_000)
        atexit.register(self.close)
    def close(self):
        atexit.unregister(self.close)  #act
        self.open = False
def main():
    for number in rounds():
        Connection().close()
main()
""",
        "atexit.unregister",
    ),
    "threads": Program(
        """
import threading
class Watchdog:
    def __init__(self):
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()
    def watch(self):
        data = bytearray(64_000)
        self.ended.wait()
    def end(self):
        self.ended.set()  #act
        self.thread.join()  #act
        pass
def main():
    for number in rounds(100):
        Watchdog().end()
main()
""",
        "join()",
    ),
    "elements": Program(
        """
import io
from lxml import etree
text = b"<all>" + b"<row>%s</row>" % (b"x" * 40_000) * 200 + b"</all>"
def main():
    names = set()
    kept = []
    for event, element in etree.iterparse(io.BytesIO(text), tag="row", huge_tree=True):
        work()
        names.add(element.tag)
        kept.append(element)  #leak
        element.clear()  #act
main()
""",
        "clear()",
        env="wild",
    ),
}

# The evidence for these is not in every record yet: callbacks of the interpreter, frames of many threads that wait, objects that
# own native memory.
NOT_ALWAYS_SEEN = ("atexit", "threads", "elements")
