"""Arrays given away with donate_argnums or donate_argnames: by which call.

Calls of a jitted function run in native code, so only the functions that donate are watched, and of each call only the
line and the identity of what it was given are kept. Runs in Tenure's private namespace; `native`, `interceptors` and `jax` (the
namespace of _jax.py) are given.
"""

import sys

NAME = "adapter.jax.donation"
MOST_ARRAYS = 100_000  # whose donation is remembered

# id of an array -> Call. An array that is used after its donation is alive, so no younger one can have its id since.
donated: dict = {}
array_type = jax["array_type"]()  # type: ignore[name-defined]
is_library = interceptors["is_library"]  # type: ignore[name-defined]
calls: dict = {}  # (code, instruction, name of the function) -> Call
compiled: dict = {}  # id of a compiled function -> numbers of the arguments it donates


class Call:
    """A line that calls a function that donates."""

    def __init__(self, frames, function, parameters):
        self.frames, self.function, self.parameters = frames, function, parameters


def on_jit_made(function, _args, _kwargs):
    """_cpp_pjit(fun, jit_info) made a function."""
    info = function._jit_info
    if (info.donate_argnums or info.donate_argnames) and not native["watch_calls"](
        function, on_call
    ):
        native["fact"](NAME, "off: calls of a jitted function cannot be watched")


def on_call(function, given, count, names):
    """A function that donates is about to be called."""
    try:
        info = function._jit_info
        arguments = [given[i] for i in info.donate_argnums if i < count]
        if names and info.donate_argnames:
            pairs = zip(names, given[count:])
            arguments += [value for name, value in pairs if name in info.donate_argnames]
        remember(function, arguments, info.donate_argnames)
    except Exception:
        native["fact"](NAME, "off: it failed")


def on_compiled_call(self, *args, **_kwargs):
    """Compiled.__call__(self, *args, **kwargs)"""
    numbers = compiled.get(id(self))
    if numbers is None:
        numbers = compiled[id(self)] = tuple(self.donate_argnums)
        interceptors["when_gone"](self, compiled.pop, id(self), None)
    if numbers:
        remember(self, [args[i] for i in numbers if i < len(args)], ())


def remember(function, arguments, parameters):
    frame = sys._getframe(1)
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return
    name = getattr(function, "__name__", "compiled")
    key = (frame.f_code, frame.f_lasti, name)
    call = calls.get(key)
    if call is None:
        call = calls[key] = Call(interceptors["frames_from"](frame), name + "()", parameters)
    if len(donated) > MOST_ARRAYS:
        donated.clear()
    donated.update(dict.fromkeys(ids_of(arguments), call))


def ids_of(arguments):
    """Of the arrays in them. Each call comes by here."""
    ids: list = []
    waiting, others = [arguments], []
    for _ in range(MOST_ARRAYS):  # a list may be in itself
        if not waiting:
            break
        items = waiting.pop()
        for item in items.values() if type(items) is dict else items:
            kind = type(item)
            if kind is array_type:
                ids.append(id(item))
            elif kind is dict or kind is list or kind is tuple:
                waiting.append(item)
            else:
                others.append(item)
    if others:
        ids += [id(array) for array in jax["leaves_of"](others)]
    return ids


def donation_of(array):
    """How a donated array ended, or None."""
    call = donated.get(id(array))
    if call is None:
        return None
    parameters = ", ".join("`%s`" % name for name in call.parameters)
    return jax["End"](
        call.frames,
        [],
        sentence(
            "jax.donated.how",
            function=call.function,
            line=interceptors["line_of"](call.frames),
            argument=parameters or sentence("jax.this_argument"),
        ),
        sentence("jax.donated.by", function=call.function),
        sentence("jax.donated.fix", function=call.function),
    )


def start():
    if jax["plain_registry"] is None:
        native["fact"](NAME, "off: no PyTreeRegistry")
        return
    part = interceptors["Part"](NAME)
    part.intercept(jax["found"]("pjit"), "_cpp_pjit", after=on_jit_made)
    part.intercept(jax["found"]("stages:Compiled"), "__call__", before=on_compiled_call)
    if part.is_set():
        jax["donation_of"] = donation_of
        jax["donated"] = donated


start()
