# -*- coding: utf-8 -*-
"""Runs inside each tested interpreter (3.7+), with the probe preloaded: compares what the probe
reads with what Python says.

usage: driver.py CASE      prints one JSON object: {"checks": n, "failures": [...], ...}; a case is a function below named case_*
"""

import asyncio
import ctypes
import gc
import json
import sys
import threading
import time
import traceback

MAGIC = 7777777
STATES = ["absent", "on", "unknown_version", "free_threaded", "self_test_failed", "subinterpreters"]


class Frame(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint64),
        ("fingerprint", ctypes.c_uint64),
        ("lasti", ctypes.c_int32),
        ("line", ctypes.c_int32),
        ("first_line", ctypes.c_int32),
        ("file", ctypes.c_char * 512),
        ("qualname", ctypes.c_char * 512),
        ("name", ctypes.c_char * 512),
    ]


probe = ctypes.CDLL(None)  # the preloaded library is in the global scope
probe.malloc.restype = ctypes.c_void_p
probe.malloc.argtypes = [ctypes.c_size_t]
probe.free.argtypes = [ctypes.c_void_p]
probe.probe_frame.restype = ctypes.POINTER(Frame)
probe.probe_line.argtypes = [ctypes.c_void_p, ctypes.c_int]
probe.probe_copy_file_name.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
probe.probe_bench.restype = ctypes.c_double
probe.probe_bench.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]

checks = 0
failures = []
extra = {}


def expect(what, got, want):
    global checks
    checks += 1
    if got != want:
        failures.append({"what": what, "got": repr(got)[:600], "want": repr(want)[:600]})


def captured():
    return [probe.probe_frame(i).contents for i in range(probe.probe_count())]


def python_frames(frame):
    while frame:
        yield frame
        frame = frame.f_back


def compare(what, stack, frame):
    """`stack`: traceback.extract_stack() at the moment of the allocation; `frame`: the frame that
    allocated."""
    got = captured()
    expect(what, [(f.file.decode(), f.name.decode(), f.line) for f in got], [(f.filename, f.name, f.lineno) for f in reversed(stack)])
    frames = list(python_frames(frame))
    expect(what + ", code", [f.code for f in got], [id(f.f_code) for f in frames])
    expect(what + ", first line", [f.first_line for f in got], [f.f_code.co_firstlineno for f in frames])
    expect(what + ", qualname", [f.qualname.decode() for f in got], [getattr(f.f_code, "co_qualname", f.f_code.co_name) for f in frames])
    # The innermost frame has moved on since.
    expect(what + ", lasti", [f.lasti for f in got[1:]], [f.f_lasti for f in frames[1:]])
    probe.probe_forget()


def leaf_released():  # ctypes lets the GIL go around the call
    block = probe.malloc(MAGIC); stack = traceback.extract_stack()
    compare("GIL released", stack, sys._getframe())
    probe.free(block)


def leaf_held():  # CPython's own path for large objects
    block = bytearray(MAGIC - 1); stack = traceback.extract_stack()
    compare("GIL held", stack, sys._getframe())
    return len(block)


def both():
    leaf_released()
    leaf_held()


class Outer(object):
    class Inner(object):
        def method(self, depth):
            if depth:
                return self.method(depth - 1)
            both()

        @classmethod
        def made(cls):
            both()

        @property
        def value(self):
            both()
            return 1


def case_methods():
    inner = Outer.Inner()
    inner.method(5)
    Outer.Inner.made()
    inner.value


def case_generators():
    def numbers():
        x = 1
        leaf_held()
        yield x
        (leaf_released(),
         leaf_held())
        yield 2

    def delegating():
        yield from numbers()
        both()

    list(numbers())
    list(delegating())
    list(x for x in numbers())
    running = numbers()
    next(running)
    list(running)


def case_lambdas_and_comprehensions():
    sorted([3, 1, 2], key=lambda v:
           (leaf_held(),
            leaf_released(), v)[-1])
    [both() for _ in range(3)]
    {both() for _ in range(3)}
    {i: (both(),
         i) for i in range(2)}
    [[both() for _ in range(2)]
     for _ in range(2)]
    list(map(lambda _: both(), range(3)))


def case_context_managers_and_exceptions():
    class Manager(object):
        def __enter__(self):
            leaf_held()
            return self

        def __exit__(self, *_):
            leaf_released()

        def __getattr__(self, name):
            both()
            return 1

    with Manager() as manager:
        manager.anything
    try:
        1 / 0
    except ZeroDivisionError:
        both()
    finally:
        both()


def case_finalizers():
    class Ended(object):
        def __del__(self):
            both()

    def make():
        Ended()
        again = Ended()
        del again
        cycle = Ended()
        cycle.cycle = cycle
        del cycle
        gc.collect()

    make()


def case_threads():
    def work():
        case_methods()
        case_generators()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:  # one at a time: the probe has one record
        thread.start()
        thread.join()
    expect("frames of a foreign thread", probe.probe_capture_in_foreign_thread(), 0)


def case_other_threads_running():
    stop = threading.Event()

    def noise(depth):
        while not stop.is_set():
            if depth:
                noise(depth - 1)
                return
            sum(i * i for i in range(50))
            time.sleep(0)

    threads = [threading.Thread(target=noise, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            case_methods()
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def case_asyncio():
    async def pause():
        await asyncio.sleep(0)
        both()
        await asyncio.sleep(0)
        return 1

    async def numbers():
        for i in range(3):
            await pause()
            yield i

    async def top():
        await asyncio.gather(pause(), pause())
        async for _ in numbers():
            both()
        [x async for x in numbers()]

    loop = asyncio.new_event_loop()
    loop.run_until_complete(top())
    loop.close()


def case_names_and_lines():
    source = u"def fé中(n):\n  if n > 0:\n    return fé中(n-1)\n\n\n\n  leaf_released()\n"
    source += u"\n" * 300 + u"  leaf_held()\n" + u"\n" * 70000 + u"  both()\n"
    for file_name in (u"ünï中\U0001F600.py", u"latin-é.py", u"中文.py", u"", u"x", u"/" + u"d" * 300 + u"/end.py"):
        namespace = {"leaf_released": leaf_released, "leaf_held": leaf_held, "both": both}
        exec(compile(source, file_name, "exec"), namespace)
        namespace[u"fé中"](3)


def case_long_names_keep_their_end():
    name = u"start/" + u"中é\U0001F600" * 200 + u"/end.py"
    code = compile(u"pass", name, "exec")
    encoded = name.encode()
    for capacity in list(range(1, 60)) + [512, 4096]:
        out = ctypes.create_string_buffer(capacity)
        length = probe.probe_copy_file_name(id(code), out, capacity)
        expect("length", length, len(out.value))
        expect("end of the name", encoded.endswith(out.value), True)
        out.value.decode()  # valid, and as much as fits
        expect("as much as fits", length >= min(len(encoded), capacity - 4), True)
    lone = compile(u"pass", u"\udc80.py", "exec")
    out = ctypes.create_string_buffer(64)
    probe.probe_copy_file_name(id(lone), out, 64)
    expect("lone surrogate", out.value.decode(), u"\ufffd.py")


def case_code_objects_that_die():
    """The same address, another code object: the fingerprint must tell; the same code object: it must
    not change."""
    seen = {}  # address -> {fingerprint: label}
    reused = 0
    for i in range(400):
        file_name = u"generated_%d.py" % (i % 97)
        function = u"f%d" % (i % 7)
        source = u"\n" * (i % 5) + u"def %s():\n  leaf_held()\n" % function + u"  leaf_held()\n" * (i % 3) + u"%s()\n" % function
        exec(compile(source, file_name, "exec"), {"leaf_held": leaf_and_note(seen, (file_name, function, i % 5, i % 3))})
    for labels in seen.values():
        reused += len(set(labels.values())) > 1
        expect("one meaning per fingerprint", len(labels), len(set(labels.values())))
    expect("addresses were reused", reused > 0, True)
    extra["reused addresses"] = reused


def leaf_and_note(seen, label):
    def leaf():
        bytearray(MAGIC - 1)
        for frame in captured()[1:3]:  # the generated function, the generated module
            meaning = label + (frame.name,)
            known = seen.setdefault(frame.code, {}).setdefault(frame.fingerprint, meaning)
            expect("fingerprint", known, meaning)
        expect("generated file", captured()[1].file.decode(), label[0])

    return leaf


def case_deep_recursion():
    def down(n):
        if n:
            return down(n - 1)
        block = bytearray(MAGIC - 1); stack = traceback.extract_stack()
        expect("truncated", probe.probe_truncated(), 1)
        got = [(f.file.decode(), f.name.decode(), f.line) for f in captured()]
        expect("innermost frames", got, [(f.filename, f.name, f.lineno) for f in reversed(stack)][:64])
        return len(block)

    down(500)
    leaf_held()
    expect("truncated", probe.probe_truncated(), 0)


def case_specialised():
    class Point(object):
        def __init__(self, x):
            self.x = x

    def hot(points):
        total = 0
        for index, point in enumerate(points):
            total += point.x * 2 + len(points)
            if index % 40 == 39:
                both()
        return total

    points = [Point(i) for i in range(200)]
    for _ in range(20):
        hot(points)
    for _ in range(300):
        leaf_held()


def case_specialised_constructors():
    """3.12+ put a frame of their own between a class that is called often and its __init__."""
    class Point(object):
        def __init__(self, index):
            self.index = index
            if index % 40 == 39:
                both()

    for i in range(200):
        Point(i)


def case_lines_of_every_instruction():
    """Our decoder against co_lines / dis, for every instruction of the standard library modules that
    are loaded."""
    import dis

    for code in loaded_code_objects():
        if hasattr(code, "co_lines"):
            want = {}
            for start, end, line in code.co_lines():
                for offset in range(start, end, 2):
                    want[offset] = -1 if line is None else line
        else:
            want, line = {}, code.co_firstlineno
            starts = dict(dis.findlinestarts(code))
            for offset in range(0, len(code.co_code), 2):
                line = starts.get(offset, line)
                want[offset] = line
        got = {offset: probe.probe_line(id(code), offset) for offset in want}
        expect(code.co_filename + " " + code.co_name, got, want)
        expect("before the first instruction", probe.probe_line(id(code), -2), code.co_firstlineno)


def loaded_code_objects():
    import types

    found = {id(o.__code__): o.__code__ for o in gc.get_objects() if isinstance(o, types.FunctionType)}
    pending = list(found.values())
    while pending:
        for constant in pending.pop().co_consts:
            if isinstance(constant, types.CodeType) and id(constant) not in found:
                found[id(constant)] = constant
                pending.append(constant)
    return list(found.values())


def case_a_wrong_line_is_noticed():
    """A planted fault: what `compare` would say if the reader were off by one line, or a frame short."""
    block = bytearray(MAGIC - 1); stack = traceback.extract_stack()
    frame = sys._getframe()
    stack[-1] = traceback.FrameSummary(stack[-1].filename, stack[-1].lineno + 1, stack[-1].name)
    compare("one line further", stack, frame)
    block = bytearray(MAGIC - 1); stack = traceback.extract_stack()
    compare("one frame less", stack[1:], frame)
    noticed = [failure["what"] for failure in failures]
    del failures[:], block
    expect("noticed", noticed, ["one line further", "one frame less"])


def case_self_test():
    this_file = sys._getframe().f_code.co_filename.encode()
    line = sys._getframe().f_lineno + 1
    expect("right", probe.probe_self_test(this_file, b"case_self_test", line), 1)
    expect("still on", probe.probe_notice_interpreters(), STATES.index("on"))
    expect("wrong line", probe.probe_self_test(this_file, b"case_self_test", 1), 0)
    expect("off", probe.probe_notice_interpreters(), STATES.index("self_test_failed"))
    probe.probe_forget()
    bytearray(MAGIC - 1)
    expect("no frames", probe.probe_count(), 0)


def case_state():
    """Only says what the reader thinks; for builds on which it must be off."""


def case_subinterpreters():
    """The reader is off as soon as there is a second interpreter, and stays off."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = __import__(name)
        except ImportError:
            continue
        expect("one interpreter", probe.probe_notice_interpreters(), STATES.index("on"))
        second = interpreters.create()
        expect("two interpreters", probe.probe_notice_interpreters(), STATES.index("subinterpreters"))
        interpreters.destroy(second)
        expect("one again", probe.probe_notice_interpreters(), STATES.index("subinterpreters"))
        return
    import _testcapi

    _testcapi.run_in_subinterp("import ctypes; ctypes.CDLL(None).probe_notice_interpreters()")
    expect("after a second interpreter", probe.probe_notice_interpreters(), STATES.index("subinterpreters"))


def case_speed():
    depth = ctypes.c_int()

    def down(n, max_frames):
        return down(n - 1, max_frames) if n else min(probe.probe_bench(20000, max_frames, ctypes.byref(depth)) for _ in range(5))

    extra["ns"] = {n: down(40, n) for n in (1, 10, 20, 40)}


def main(module):
    state = STATES[probe.probe_start()]
    getattr(module, "case_" + sys.argv[1])()
    result = {
        "python": sys.version,
        "state": state,
        "reader": probe.probe_version(),
        "version": sys.version_info[0] << 8 | sys.version_info[1],
        "checks": checks,
        "failures": failures[:5],
        "failed": len(failures),
    }
    result.update(extra)
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.modules[__name__])
