"""Runs inside each tested interpreter (3.7+), with the probe preloaded: compares the loops the
probe finds with `dis` and with the source.

usage: loops_driver.py CASE      prints one JSON object as driver.py does
"""

import ast
import ctypes
import dis
import json
import re
import sys
import textwrap
import types

import driver
from driver import expect, extra, probe


class LoopRange(ctypes.Structure):
    _fields_ = [("start", ctypes.c_int32), ("end", ctypes.c_int32), ("line", ctypes.c_int32)]


MAX = 4096
ranges = (LoopRange * MAX)()
probe.probe_loops.argtypes = [ctypes.c_void_p, ctypes.POINTER(LoopRange), ctypes.c_int]

JUMPS = set(dis.hasjrel) | set(dis.hasjabs)
STOPS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "INTERPRETER_EXIT"}
ONE_WAY = {"JUMP_FORWARD", "JUMP_ABSOLUTE", "CONTINUE_LOOP", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}


def found(code):
    count = probe.probe_loops(id(code), ranges, MAX)
    return [(r.start, r.end, r.line) for r in ranges[:count]]


# --- what dis says --------------------------------------------------------------------------------


def is_jump(instruction):
    return instruction.opcode in JUMPS and instruction.opname != "END_ASYNC_FOR"


def by_dis(code):
    """Backward jumps that a loop of the source makes: all ways to the jump lead through its target."""
    instructions = list(dis.get_instructions(code))
    backward = [i for i in instructions if is_jump(i) and i.argval <= i.offset and i.opname != "JUMP_BACKWARD_NO_INTERRUPT"]
    if not backward:
        return []
    follows = flow(code, instructions)
    around = {target: reached(follows, without=target) for target in {i.argval for i in backward}}
    return [(i.argval, i.offset) for i in backward if i.offset not in around[i.argval]]


def flow(code, instructions):
    """offset -> the offsets that may come next"""
    follows = {i.offset: [i.argval] if is_jump(i) else [] for i in instructions}
    for this, after in zip(instructions, instructions[1:]):
        if this.opname not in STOPS | ONE_WAY:
            follows[this.offset].append(after.offset)
    table = dis._parse_exception_table(code) if hasattr(dis, "_parse_exception_table") else []
    for entry in table:
        for offset in range(entry.start, entry.end, 2):
            if offset in follows:
                follows[offset].append(entry.target)
    return follows


def reached(follows, without):
    """Offsets that can be reached from the start without touching one."""
    seen, pending = {without}, [0]
    while pending:
        offset = pending.pop()
        if offset not in seen:
            seen.add(offset)
            pending.extend(follows[offset])
    return seen - {without}


def compare_with_dis(codes):
    loops = 0
    for code in codes:
        got = found(code)
        loops += len(got)
        expect("%s:%d %s" % (code.co_filename, code.co_firstlineno, code.co_name), [r[:2] for r in got], by_dis(code))
    extra["loops"] = loops
    extra["code objects"] = len(codes)
    expect("loops were found", loops > 100, True)


def rewritten(codes):
    """How many instructions are not what the compiler wrote."""
    pairs = [(code.co_code[::2], getattr(code, "_co_code_adaptive", code.co_code)[::2]) for code in codes]
    return sum(plain != running for pair in pairs for plain, running in zip(*pair) if plain)  # 0: a cache


def warm_up():
    for _ in range(60):
        json.loads(json.dumps({"a": [1, 2.5, "x", None, {"b": True}] * 5}))
        json.dumps({"a": [1, 2.5] * 5}, indent=2)
        textwrap.fill("some words to be wrapped " * 8, 30)
        ast.literal_eval("{'a': [1, 2, (3, 4)]}")
        ast.dump(ast.parse("for i in range(3):\n  print(i)"))
    for i in range(40):
        re.compile(r"(?P<a>[a-z]+)%d|b{2,3}(?:c|d)*" % i).match("abc")


def standard_library():
    import argparse, asyncio, collections, decimal, email.message, inspect, logging, pickle, shutil, subprocess, tarfile, tokenize, unittest, zipfile  # noqa: F401, E401

    return driver.loaded_code_objects()


def case_same_as_dis():
    codes = standard_library()
    warm_up()
    extra["rewritten"] = rewritten(codes)
    if sys.version_info >= (3, 11):
        expect("specialised code was looked at", extra["rewritten"] > 500, True)
    compare_with_dis(codes)


def case_while_traced():
    """A debugger: from 3.12 on it writes its own opcodes into the code."""
    codes = [code for code in standard_library() if "json" in code.co_filename or code.co_filename.endswith(("re.py", "textwrap.py", "ast.py"))]
    codes += [code for code in driver.loaded_code_objects() if "/re/" in code.co_filename]
    sys.settrace(lambda frame, event, argument: stay(frame))
    warm_up()
    got = {code: found(code) for code in codes}
    sys.settrace(None)
    for code in codes:
        expect(code.co_name, [r[:2] for r in got[code]], by_dis(code))
    extra["loops"] = sum(map(len, got.values()))


def stay(frame):
    frame.f_trace_opcodes = True
    return lambda *_: stay(frame)


def case_while_monitored():
    """3.12+: every event there is, for every instruction."""
    codes = standard_library()
    if sys.version_info < (3, 12):
        return
    want = {code: by_dis(code) for code in codes}
    events, monitoring = sys.monitoring.events, sys.monitoring
    monitoring.use_tool_id(3, "test")
    everything = events.LINE | events.INSTRUCTION | events.JUMP | events.CALL | events.PY_START | events.PY_RETURN | events.PY_YIELD
    everything |= getattr(events, "BRANCH", 0)
    monitoring.set_events(3, everything)
    warm_up()
    got = {code: found(code) for code in codes}
    extra["rewritten"] = rewritten(codes)
    monitoring.set_events(3, 0)
    monitoring.free_tool_id(3)
    for code in codes:
        expect(code.co_name, [r[:2] for r in got[code]], want[code])
    expect("instrumented code was looked at", extra["rewritten"] > 1000, True)


def case_while_compiled():
    """3.14+ with PYTHON_JIT=1: hot loops end with an opcode of the JIT."""
    namespace = {}
    exec(HOT, namespace)
    hot = [f.__code__ for f in namespace.values() if isinstance(f, types.FunctionType)]
    for name in ("simple", "nested", "far"):
        namespace[name](20000)
    if sys.version_info >= (3, 13):
        import _opcode

        executors = 0
        for code in hot:
            for offset in range(0, len(code.co_code), 2):
                try:
                    executors += _opcode.get_executor(code, offset) is not None
                except (ValueError, RuntimeError):
                    pass
        extra["executors"] = executors
    for code in hot:
        expect(code.co_name, [r[:2] for r in found(code)], by_dis(code))


HOT = (
    "def simple(n):\n  s = 0\n  for i in range(n):\n    s += i\n  return s\n"
    "def nested(n):\n  s = 0\n  for i in range(200):\n    j = 0\n    while j < n // 200:\n      s += j\n      j += 1\n  return s\n"
    "def far(n):\n  s = 0\n  for i in range(n):\n" + "    s = (s + i) & 255\n" * 60 + "  return s\n"
)


# --- what the source says -------------------------------------------------------------------------

SAMPLE = '''\
def f(a, it):
    for x in it:            # loop
        a()
    while a():              # loop
        b()
        c()
    while True:             # loop
        b()
        if c(): break
    try:
        a()
    except E:
        b()
    z()
    with a:
        b()
    z()
    for x in it:            # loop
        try:
            a()
        except E:
            continue
        if x:
            continue
        z()
    try:
        a()
    except (E, F):
        for y in it:        # loop
            b()
    finally:
        for y in it:        # loop
            b()
    for x in it:            # loop
        while x and a:      # loop
            if c: continue
            d()
            for z in x: d() # loop
    else:
        d()
    while 1:                # loop
        try:
            return a()
        except E:
            b()
async def g(a):
    async for x in a:       # loop
        await x
        try:
            await y
        except E: pass
        z()
    async with a:
        b()
    z()
def h(a):
    yield from a
    for x in a:             # loop
        yield x
        for y in x: pass    # loop
    return (yield)
def no_loop(a):
    try:
        with a as b, c as d:
            e()
    except E as e:
        f()
    except F:
        g()
    else:
        h()
    finally:
        i()
    return j()
'''


def case_lines_of_loops():
    want = {number for number, line in enumerate(SAMPLE.splitlines(), 1) if "# loop" in line}
    module = compile(SAMPLE, "sample.py", "exec")
    got = {line for code in nested_code(module) for _, _, line in found(code)}
    if sys.version_info[:2] in ((3, 8), (3, 9)):  # the line of `while True` is in no table of these
        endless = {n for n, line in enumerate(SAMPLE.splitlines(), 1) if line.strip().startswith(("while True", "while 1"))}
        want = {line + 1 if line in endless else line for line in want}
    expect("lines", sorted(got), sorted(want))


def nested_code(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            for inner in nested_code(constant):
                yield inner


def loop_lines_of_source(tree):
    """Lines on which a loop may be said to be: its own, or for `while` with an eternal condition also
    the first one inside."""
    lines = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            lines.update([node.lineno, node.body[0].lineno] if isinstance(node, ast.While) else [node.lineno])
            lines.update(n.lineno for part in header(node) for n in ast.walk(part) if hasattr(n, "lineno"))
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            lines.update(n.lineno for n in ast.walk(node) if hasattr(n, "lineno"))
    return lines


def header(node):
    return [node.test] if isinstance(node, ast.While) else [node.target, node.iter]


def case_same_as_source():
    """No loop where the source has none, and for each loop of the source at least one."""
    seen, unseen = 0, []
    files = sorted({code.co_filename for code in standard_library() if code.co_filename.endswith(".py")})
    for file_name in files:
        try:
            with open(file_name, encoding="utf-8") as source:
                text = source.read()
            tree = ast.parse(text)
        except (OSError, SyntaxError, UnicodeDecodeError):
            continue
        got = {line for code in nested_code(compile(text, file_name, "exec")) for _, _, line in found(code)}
        expect("lines without a loop in " + file_name, sorted(got - loop_lines_of_source(tree)), [])
        for node in ast.walk(tree):
            if isinstance(node, (ast.For, ast.AsyncFor)) and comes_back(node):
                lines = {n.lineno for part in header(node) for n in ast.walk(part) if hasattr(n, "lineno")} | {node.lineno}
                seen += bool(lines & got)
                if not lines & got:
                    unseen.append((file_name, node.lineno))
    extra.update(seen=seen, unseen=unseen[:20])
    expect("loops that were not found", len(unseen) <= seen // 200, True)


def comes_back(node):
    """Whether the end of the body can be reached at all."""
    return not isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Break, ast.If, ast.Try, ast.With))


if __name__ == "__main__":
    driver.main(sys.modules[__name__])
