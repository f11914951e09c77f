"""Runs once inside the traced interpreter, in a private namespace, before the first user import.

Given by the preloaded library: `native` (name -> function), `sources` (the names of the files beside this one) and
`is_attached` (whether the program ran before the library came: then there were user imports already).
Nothing here may fail into the user's program, print, or import more than the interpreter has loaded already.
"""

import sys

UNCAUGHT, INTERRUPTED, TEARDOWN = 1, 2, 4  # ledger::EventKind
GROWTH, AT_EXIT, AT_ERROR, OUT_OF_MEMORY, AT_INTERRUPT, ASKED = range(6)  # ledger::SnapshotReason
FRAMEWORKS = ("numpy", "torch", "tensorflow", "jax")
PREPARED = ("pyarrow",)  # whose adapters run before their own code does
INNER = {  # -> adapter
    "_pytest.runner": "pytest",
    "IPython.core.compilerop": "ipython",
    "IPython.core.events": "ipython_events",
}
WATCHED = FRAMEWORKS + ("mmap",) + PREPARED + tuple(INNER)  # what is told of once it is imported
ASKED_FRAMEWORKS = FRAMEWORKS[1:]  # whose tensors tell where their data is
CLEANING_UP = ("jax",)  # which take everything apart in an exit handler of their own


def note_framework(module):
    version = getattr(module, "__version__", None)
    if isinstance(version, str):
        native["fact"]("framework." + module.__name__, version)
    load_adapter(INNER.get(module.__name__, module.__name__))
    if module.__name__ in CLEANING_UP:
        look_before_others()
    if module.__name__ in ASKED_FRAMEWORKS:
        load("_buffers")
        native["on_growth"](snapshot)


class WatchingLoader:
    """Stands in for a framework's loader until it has run; then tells the ledger."""

    depth = 0  # frameworks that are being imported

    def __init__(self, real):
        self.real = real

    def __getattr__(self, name):
        return getattr(self.real, name)

    def create_module(self, spec):
        return self.real.create_module(spec)

    def exec_module(self, module):
        try:  # the program must see the true loader
            module.__spec__.loader = self.real
            module.__loader__ = self.real
        except Exception:
            pass
        WatchingLoader.depth += 1
        native["loading"](1)
        if module.__name__ in PREPARED:
            native["metered"](load_adapter, module.__name__)
        call_adapter(module.__name__, "before_import")
        try:
            self.real.exec_module(module)
        finally:
            call_adapter(module.__name__, "after_import")
            WatchingLoader.depth -= 1
            if WatchingLoader.depth == 0:
                native["loading"](0)
        try:
            native["metered"](note_framework, sys.modules.get(module.__name__, module))
        except Exception:
            native["fact"]("adapter." + module.__name__, "off: it failed")


class EmbeddedLoader:
    """Loads `tenure` and its parts from the sources inside the preloaded library."""

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        part = module.__name__.rpartition(".")[2] if "." in module.__name__ else "__init__"
        exec(native["code_of"](part), module.__dict__)
        if part == "__init__":
            module._native = native


def installed_places(name):
    """The folders of the installed package: what it has beside the sources inside the library is imported from there. Where
    this interpreter has none, it is the one that the library came with."""
    try:
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name)
        return list(spec.submodule_search_locations) if spec else places_beside_library()
    except Exception:
        return []


def places_beside_library():
    """Of a wheel TENURE/_native/lib/libtenure.so, of a source tree build/lib and python/tenure."""
    import os

    for library in os.environ.get("LD_PRELOAD", "").split(":"):
        above = os.path.dirname(os.path.dirname(os.path.dirname(library)))
        for place in (above, os.path.join(above, "python", "tenure")):
            is_ours = os.path.basename(library) == "libtenure.so"
            if is_ours and os.path.isfile(os.path.join(place, "notebook", "__init__.py")):
                return [place]
    return []


class Finder:
    """First on sys.meta_path: answers for `tenure`, and watches the import of frameworks."""

    busy = False

    def native_of_tenure(self):
        return native

    def find_spec(self, name, path=None, target=None):
        if name == "tenure" or (name.startswith("tenure.") and name[7:] in sources):
            from importlib.machinery import ModuleSpec

            spec = ModuleSpec(name, EmbeddedLoader(), is_package=name == "tenure")
            if name == "tenure":
                spec.submodule_search_locations = installed_places(name)
            return spec
        if name not in WATCHED or self.busy:
            return None
        self.busy = True
        try:
            for finder in sys.meta_path:
                if finder is self or not hasattr(finder, "find_spec"):
                    continue
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    if hasattr(spec.loader, "exec_module"):
                        spec.loader = WatchingLoader(spec.loader)
                    return spec
        finally:
            self.busy = False
        return None


def frames_of(traceback):
    frames = []
    while traceback is not None and len(frames) < 60:
        code = traceback.tb_frame.f_code
        frames.append((code.co_filename, code.co_name, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames


parts: dict = {}  # name of a source beside this one -> its namespace, once it runs
words: dict = {}  # what all of them tell in: the closed sets of _vocabulary.py, and `sentence`


def load(name, **given):
    """Runs a source beside this one in a namespace of its own."""
    if name not in parts:
        parts[name] = dict(
            words, **given, native=native, load=load, interceptors=parts.get("_interceptors")
        )
        exec(native["code_of"](name), parts[name])
    return parts[name]


def load_words():
    vocabulary = load("_vocabulary")
    words.update((name, vocabulary[name]) for name in vocabulary if name[0].isupper())
    words["sentence"] = load("_sentence")["sentence"]


def load_adapter(framework):
    """The interceptors of a framework or of the interpreter. They never take the rest with them."""
    name = "_" + framework
    if name not in sources or name in parts:
        return
    try:
        load("_interceptors")
        load(name)
    except Exception as error:
        native["fact"]("adapter." + framework, "off: %s" % type(error).__name__)


def call_adapter(framework, what):
    try:
        native["metered"](parts.get("_" + framework, {}).get(what, bool))
    except Exception as error:
        native["fact"]("adapter." + framework, "off: %s" % type(error).__name__)


def snapshot(reason):
    """Who holds what, now: True when it was taken. The program waits for a fork, no longer."""
    try:
        return bool(native["snapshot_due"](reason)) and take(reason)
    except Exception as error:  # of ours: nothing of the program's has run
        native["fact"]("snapshots", "off: one is missing (%s)" % type(error).__name__)
        return False


def take(reason):
    buffers = parts.get("_buffers")
    if buffers is None:
        return bool(native["snapshot"](reason, [], [], [], [], [], []))
    for part in list(parts.values()):
        part.get("before_snapshot", bool)()
    tracked = parts["_causes"]["tracked_objects"]() if "_causes" in parts else ([], [])
    roles = parts.get("_torch_roles")
    with buffers["Quiet"]():
        return bool(native["snapshot"](reason, *buffers["known_links"](native, roles), *tracked))


def address_of(box):
    """Where the data of the one object in `box` begins; the box is empty afterwards. None: it lends no memory."""
    tensor = box.pop()
    try:
        return load("_buffers")["address_of"](tensor, native)
    except Exception:
        return None


def holders(box):
    """Who holds the one object in `box`, in words."""
    address = address_of(box)
    if not address:
        return "this object lends no memory, so nobody can be said to hold it"
    if not snapshot(ASKED):
        return "no snapshot could be taken, so who holds this is not known"
    return native["who_holds"](address) or "no answer came from `tenure run`"


def reason_of_end(kind):
    if kind is None:
        return AT_EXIT
    if issubclass(kind, KeyboardInterrupt):
        return AT_INTERRUPT
    if issubclass(kind, MemoryError) or kind.__name__ in (
        "OutOfMemoryError",
        "ResourceExhaustedError",
    ):
        return OUT_OF_MEMORY
    return AT_ERROR


def at_exit():
    native["metered"](look_last)


def look_last():
    """Before the interpreter takes everything apart."""
    try:
        native["event"](TEARDOWN, "", "", 0, [])  # what follows is our work, not the program's
        for part in list(parts.values()):
            part.get("at_end", bool)()
        snapshot(reason_of_end(getattr(sys, "last_type", None)))
        native["stop_snapshots"]()
    except Exception:
        pass
    note_error()


def look_before_others():
    """Exit handlers run in reverse order: from here on, ours comes before those that are there already."""
    import atexit

    atexit.unregister(at_exit)
    atexit.register(at_exit)


def note_error():
    """The interpreter keeps the error it is about to die of in sys.last_*."""
    try:
        kind = getattr(sys, "last_type", None)
        if kind is None:
            return
        what = INTERRUPTED if issubclass(kind, KeyboardInterrupt) else UNCAUGHT
        text = str(getattr(sys, "last_value", ""))[:500]
        frames = frames_of(getattr(sys, "last_traceback", None))
        native["event"](
            what, kind.__name__, text.encode("utf-8", "replace").decode("utf-8"), 0, frames
        )
    except Exception:
        pass


def expected_stack():
    expected = []
    frame = sys._getframe(1)
    while frame is not None:
        expected.append((frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno))
        frame = frame.f_back
    return expected


def self_test():
    """The reader must see just what the interpreter says of this very stack."""
    seen, expected = native["stack"](), expected_stack()
    same = len(seen) == len(expected) and all(
        s[0] == e[0] and s[1].rpartition(".")[2] == e[1] and s[2] == e[2]
        for s, e in zip(seen, expected)
    )
    if not same and seen:
        native["reader_off"]("off: the self-test of the frame reader failed")
        return
    native["fact"]("python_frames", "on" if seen else "off: not for this interpreter")


def boot():
    native["fact"]("python", "%d.%d.%d" % sys.version_info[:3])
    self_test()
    load_words()
    sys.meta_path.insert(0, Finder())
    for name in WATCHED:
        if name in sys.modules:
            note_framework(sys.modules[name])
    load_adapter("streams")
    look_before_others()
    native["start_snapshots"]()
    native["take_snapshot"] = snapshot
    native["holders"] = holders
    native["fact"]("adapters", "on")


def boot_attached():
    """In a program that runs already: nothing of its Python is changed, so that it goes on as before when we leave. Snapshots
    are all there is; what frameworks do is not told of."""
    native["fact"]("python", "%d.%d.%d" % sys.version_info[:3])
    self_test()
    load_words()
    native["start_snapshots"]()  # before anything is told to it
    for name in FRAMEWORKS:
        version = getattr(sys.modules.get(name), "__version__", None)
        if isinstance(version, str):
            native["fact"]("framework." + name, version)
        if version and name in ASKED_FRAMEWORKS:
            load("_buffers")
            native["on_growth"](snapshot)


if is_attached:  # type: ignore[name-defined]
    boot_attached()
else:
    boot()
