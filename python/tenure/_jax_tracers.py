"""Tracers that escaped from the function that was traced with them.

JAX makes the error from the tracer itself, so the tracer is asked: where it was made, and by which trace. Who keeps it,
and the statement that put it there, are found when that happens. Runs in Tenure's private namespace; `native`, `interceptors`,
`load` and `jax` (the namespace of _jax.py) are given.
"""

import re

# JAX's errors for a tracer whose value was asked for.
NO_VALUE = (
    "ConcretizationTypeError",
    "TracerArrayConversionError",
    "TracerIntegerConversionError",
    "TracerBoolConversionError",
)
called_from: dict = {}  # id of a trace -> the user's frames that asked for it


def on_trace(_result, args, _kwargs):
    """Trace.__init__(self): JAX cuts what tracers remember at their trace, so the way to it is kept here."""
    trace, key = args[0], id(args[0])
    frames = [f for f in interceptors["user_frames"](interceptors["caller"]())][
        : interceptors["MOST_FRAMES"]
    ]
    places = [(f.f_code.co_filename, f.f_code.co_name, f.f_lineno) for f in reversed(frames)]
    if places:
        called_from[key] = places
        interceptors["when_gone"](trace, called_from.pop, key, None)


def on_escaped(error, args, kwargs):
    """escaped_tracer_error(tracer, detail=None) made the error that is about to be raised."""
    tracer = args[0] if args else kwargs.get("tracer")
    if tracer is not None:
        tell_leaked(tracer, error)


def on_checked(error, args, _kwargs):
    """leaked_tracer_error(name, trace, tracers): the program asked JAX to look for leaks."""
    if args[2]:
        tell_leaked(args[2][0], error)


def on_no_value(_result, args, _kwargs):
    """An error was made since a tracer has no value. It is a leak only where the tracer's trace is over."""
    error, tracer = args[0], args[1]
    trace = getattr(tracer, "_trace", None)
    if trace is not None and not is_running(trace):
        tell_leaked(tracer, error)


def is_running(trace):
    """Whoever traces a function has the trace among its variables, or one below it."""
    frame = interceptors["caller"]()
    while frame is not None:
        for value in interceptors["peek"](frame).values() if is_of_jax(frame) else ():
            if value is trace or getattr_of_trace(value) is trace:
                return True
        frame = frame.f_back
    return False


def is_of_jax(frame):
    return "/jax/" in frame.f_code.co_filename


def getattr_of_trace(value):
    kind = jax["found"]("core:Trace")
    return getattr(value, "parent_trace", None) if kind and isinstance(value, kind) else None


class Origin:
    """Where a tracer comes from: the stack that made it, and the function that was traced then."""

    def __init__(self, tracer):
        self.born = born_at(tracer)
        self.function, self.file, self.line = traced_function(tracer)
        self.ended = called_from.get(id(getattr(tracer, "_trace", None)), [])
        self.inside = self.places_inside()
        if not self.inside and self.file is not None:  # an argument of the function
            self.born = self.inside = [(self.file, self.function, self.line)]
        if self.function is None and self.inside:
            self.function = self.inside[0][1].rpartition(".")[2]

    def places_inside(self):
        """The user's lines from the traced function to where the tracer was made."""
        places = [place for place in self.born if not interceptors["is_library"](place[0])]
        outside = [place[::2] for place in self.ended]
        while places and outside and places[0][::2] == outside[0]:
            places, outside = places[1:], outside[1:]
        return places


def born_at(tracer):
    """The stack that made it, as far as it remembers; tracers of gradients and of vmap have what they stand for."""
    for _ in range(4):
        info = getattr(tracer, "_line_info", None) or getattr(tracer, "source_info", None)
        if info is not None:
            return jax["places_in"](info.traceback)
        if type(tracer) is jax["array_type"]():
            return jax["places_in"](tracer.traceback)
        tracer = getattr(tracer, "primal", getattr(tracer, "val", None))
    return []


def traced_function(tracer):
    """(name, file, line) as JAX remembers them: "loss at /app/train.py:12"; or three times None."""
    info = getattr(tracer, "_debug_info", None)
    match = re.match(r"(\S+) at (.+):(\d+)$", getattr(info, "func_src_info", None) or "")
    return (match.group(1), match.group(2), int(match.group(3))) if match else (None, None, None)


def used_at(tracer):
    """Where it is used: here, or the line inside another traced function that reads it."""
    frame = interceptors["caller"]()
    here = interceptors["frames_from"](frame)
    for _ in range(6):
        if frame is None or not interceptors["is_library"](frame.f_code.co_filename):
            return here
        for value in interceptors["peek"](frame).values():
            params = (
                getattr(value, "params", None) if type(value).__name__ == "PjitParams" else None
            )
            line = line_in_jaxpr(value.consts, params["jaxpr"].jaxpr, tracer) if params else None
            if line:
                return line
        frame = frame.f_back
    return here


def line_in_jaxpr(consts, jaxpr, tracer):
    """The first operation that reads the constant which is the tracer."""
    for const, variable in zip(consts, jaxpr.invars):
        if const is tracer:
            for equation in jaxpr.eqns:
                if any(atom is variable for atom in equation.invars):
                    line = jax["places_in"](equation.source_info.traceback)
                    return line if interceptors["users"](line) else None
    return None


def tell_leaked(tracer, error):
    origin = Origin(tracer)
    names = jax["names_of"](tracer, interceptors["caller"]())
    escape = load("_jax_escapes", statements=load("_statements"))["statement"](origin, names)
    function = origin.function or sentence("a-function")
    places = [(PlaceRole.USED, used_at(tracer))]
    places += [(PlaceRole.KEPT_AT, [escape])] if escape else []
    places += [(PlaceRole.CREATED, origin.born)] if interceptors["users"](origin.born) else []
    places += [(PlaceRole.ENDED, origin.ended)] if origin.ended else []
    name = interceptors["shown"](names, sentence("jax.a_tracer"))
    native["lifetime_error"](
        Kind.LEAKED_TRACER,
        Severity.ERROR,
        sentence("jax.leaked_tracer.title", function=function),
        why_leaked(names, function, origin, escape),
        sentence("jax.leaked_tracer.fix", function=function),
        type(error).__name__,
        interceptors["text_of"](error),
        sentence("jax.leaked_tracer.holder", name=name, function=function),
        places,
    )


def why_leaked(names, function, origin, escape):
    called = (
        sentence("jax.called_at", line=interceptors["line_of"](origin.ended))
        if origin.ended
        else ""
    )
    return sentence(
        "jax.leaked_tracer.why",
        name=interceptors["shown"](names[:1], sentence("jax.a_tracer")),
        function=function,
        called=called,
        keeper=interceptors["line_of"]([escape]) if escape else sentence("jax.something_outside"),
    )


def start():
    part = interceptors["Part"]("adapter.jax.tracers")
    core = jax["found"]("core")
    part.intercept(core, "escaped_tracer_error", after=on_escaped)
    part.intercept(core, "leaked_tracer_error", after=on_checked)
    part.intercept(jax["found"]("core:Trace"), "__init__", after=on_trace)
    part.is_set()
    part = interceptors["Part"]("adapter.jax.tracer_values")
    for name in NO_VALUE:
        part.intercept(jax["found"]("errors:" + name), "__init__", after=on_no_value)
    part.is_set()


start()
