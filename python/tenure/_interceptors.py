"""What all adapters stand on: interceptors on functions of a framework, stacks of frames, and names of objects.

Runs in Tenure's private namespace; `native` and `load` are given. An interceptor calls the original from native code, so no
frame of ours is ever between the program and its framework: not in tracebacks, not in the stacks that ops remember.
"""

import sys
from _functools import _lru_cache_wrapper
from _weakref import ref

OWN_FILE = "<tenure>"
MOST_FRAMES = 60
MOST_ITEMS = 1000  # of a container that are looked at for a name
OPTIMIZED = 1  # CO_OPTIMIZED: a function's frame, whose f_locals is a copy

# `functools`, `types` and `weakref` are no part of an interpreter's start: to import them would take a third of it.
Function, BuiltIn, Module = type(lambda: None), type(len), type(sys)
SlotWrapper = type(object.__init__)
WRAPPED = ("__module__", "__name__", "__qualname__", "__doc__")  # the rest is asked of the original


class Interceptor:
    """Stands in for a function. `parts` are read by native code: see inproc/boot/interceptors.h."""

    __call__ = native["interceptor_call"]  # type: ignore[name-defined]

    def __init__(self, original, name, before=None, after=None, error=None):
        self.__dict__.update(getattr(original, "__dict__", {}))
        for attribute in WRAPPED:
            if hasattr(original, attribute):
                setattr(self, attribute, getattr(original, attribute))
        self.__wrapped__ = original
        self.parts = (original, before, after, error, name)

    def __get__(self, instance, owner=None):
        return self if instance is None else Method(self, instance)

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)

    def __repr__(self):
        return repr(self.__wrapped__)


class Part:
    """A group of interceptors that make sense together only: all of them are set, or none is and `losses` says so."""

    def __init__(self, name):
        self.name = name
        self.wanted = []

    def intercept(self, owner, attribute, **callbacks):
        """`owner` may be None: whatever should have held the attribute was not found."""
        self.wanted.append((owner, attribute, callbacks))

    def is_set(self):
        try:
            originals = [self.original(owner, attribute) for owner, attribute, _ in self.wanted]
            for (owner, attribute, callbacks), original in zip(self.wanted, originals):
                setattr(owner, attribute, Interceptor(original, self.name, **callbacks))
        except Exception as error:
            is_ours = isinstance(error, Unfit)
            native["fact"](self.name, "off: %s" % (error if is_ours else type(error).__name__))
            return False
        native["fact"](self.name, "on")
        return True

    @staticmethod
    def original(owner, attribute):
        original = getattr(owner, attribute, None)
        if is_function(original):
            return original
        raise Unfit("no function %s" % attribute)


Method = type(Part("").intercept)


class Unfit(Exception):
    """A framework does not look as expected."""


def is_function(thing):
    """Functions, those made in C too, and the methods of types that are made by nanobind."""
    kinds = (Function, BuiltIn, SlotWrapper, Interceptor)
    return isinstance(thing, kinds) or type(thing).__name__ == "nb_method"


def found(path):
    """What `package.module:Name.name` leads to, or None. Nothing is imported."""
    module, _, names = path.partition(":")
    here = sys.modules.get(module)
    for name in names.split(".") if names else ():
        here = getattr(here, name, None)
    return here


def looks_like_library(file):
    """As base/source_path.h says it."""
    if file.startswith("<"):
        return not file.startswith(TYPED_CODE)
    return any(part in file for part in LIBRARIES)


is_library = _lru_cache_wrapper(looks_like_library, 4096, False, None)  # as functools.lru_cache


TYPED_CODE = (
    *("<string>", "<stdin>", "<ipython", "<cell", "<command-", "<console>", "<input"),
    *("<pyshell#", "<doctest ", "<notebook"),
)
LIBRARIES = ("/site-packages/", "/dist-packages/", "/lib/python3.", "/lib64/python3.")


awaited: dict = {}


def when_gone(thing, callback, *args):
    """callback(*args) once nobody holds the thing any more."""

    def tell(reference):
        awaited.pop(id(reference), None)
        callback(*args)

    reference = ref(thing, tell)
    awaited[id(reference)] = reference


def frames_from(frame):
    """[(file, function, line), ...], outermost first."""
    frames = []
    while frame is not None and len(frames) < MOST_FRAMES:
        code = frame.f_code
        if not code.co_filename.startswith(OWN_FILE):
            frames.append((code.co_filename, code.co_name, frame.f_lineno))
        frame = frame.f_back
    frames.reverse()
    return frames


def raised_through(traceback):
    """[(frame object, line), ...] of an error's way, outermost first."""
    frames = []
    while traceback is not None:
        frames.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames


def places_in(frames):
    """The same as [(file, function, line), ...]."""
    return [(frame.f_code.co_filename, frame.f_code.co_name, line) for frame, line in frames]


def caller():
    """The innermost frame that is not ours."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OWN_FILE):
        frame = frame.f_back
    return frame


def users(frames):
    """The last frame of the user's own in a list of frames, or None."""
    for place in reversed(frames):
        if not is_library(place[0]):
            return place
    return None


def user_frames(frame):
    """Frame objects of the user's own, innermost first."""
    while frame is not None:
        if not is_library(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def peek(frame):
    """A copy of the frame's variables. Reading f_locals must not make the frame hold more than it did."""
    known = frame.f_locals
    copied = dict(known)
    if frame.f_code.co_flags & OPTIMIZED and isinstance(known, dict):
        known.clear()
    return copied


def fields_of(value):
    """The attributes an object keeps, without asking it."""
    try:
        fields = object.__getattribute__(value, "__dict__")
    except Exception:
        return {}
    return fields if isinstance(fields, dict) and not isinstance(value, Module) else {}


def item_of(value, wanted):
    """ "[3]" or "['last']" for what a container has as an item, or None. Nothing of the program is compared or hashed."""
    kinds = type(value).__mro__  # isinstance() would believe a proxy
    if list in kinds or tuple in kinds:
        items = list.__iter__(value) if list in kinds else tuple.__iter__(value)
        for i, item in zip(range(MOST_ITEMS), items):
            if item is wanted:
                return "[%d]" % i
    elif dict in kinds:
        for (key, item), _ in zip(list(dict.items(value)), range(MOST_ITEMS)):
            if item is wanted:
                return "[%.40r]" % key if isinstance(key, (str, int)) else "[...]"
    return None


def way_to(value, wanted):
    """ ".memory", "[3]", ".states['last']": how one gets from `value` to `wanted`; "" if it is that itself, or None."""
    if value is wanted:
        return ""
    item = item_of(value, wanted)
    if item is not None:
        return item
    for name, field in list(fields_of(value).items()):
        if isinstance(name, str):
            inside = "" if field is wanted else item_of(field, wanted)
            if inside is not None:
                return "." + name + inside
    return None


def names_of(wanted, frame, most=2):
    """What the user calls an object: ["`self.memory` of Reader", "`reader.memory`"], innermost first."""
    return names_by(way_to, wanted, frame, most)


def far_names_of(wanted, frame, most=2):
    """The same for what is one attribute further away."""
    return names_by(long_way_to, wanted, frame, most)


def long_way_to(value, wanted):
    """ ".process.stdin": by an attribute of an attribute, or None."""
    for name, field in list(fields_of(value).items()):
        way = way_to(field, wanted) if isinstance(name, str) else None
        if way is not None:
            return "." + name + way
    return None


def names_by(way_to, wanted, frame, most):
    names = []
    for user in list(user_frames(frame))[:20]:
        for name, value in peek(user).items():
            way = way_to(value, wanted)
            if way is not None:
                text = "`%s%s`" % (name, way)
                names.append(text + " of " + type(value).__name__ if name == "self" else text)
        names = list(dict.fromkeys(names))
        if len(names) >= most:
            break
    if len(names) < most and frame is not None:
        names += [n for n in global_names(way_to, wanted, frame) if n not in names]
    return names[:most]


def global_names(way_to, wanted, frame):
    for user in user_frames(frame):
        for name, value in list(user.f_globals.items()):
            way = way_to(value, wanted)
            if way is not None:
                return ["`%s%s`" % (name, way)]
    return []


def assigned_name(frames):
    """What the statement that made something assigns it to: `total` for "total = tf.Variable(0.0)"; or None."""
    place = users(frames)
    # loaded here: its parser is asked only when something is told
    return load("_statements")["assigned_name"](place[0], place[2]) if place else None


def shown(names, otherwise):
    """The names in one text."""
    if len(names) < 2:
        return names[0] if names else otherwise
    return sentence("and", first=names[0], second=shown(names[1:], otherwise))


def text_of(error):
    return str(error)[:500].encode("utf-8", "replace").decode("utf-8")


def base_name(file):
    return file.rpartition("/")[2]


def line_of(frames):
    """ "file.py:12" of the user's innermost frame."""
    place = users(frames) or (frames[-1] if frames else None)
    return "%s:%d" % (base_name(place[0]), place[2]) if place else sentence("unseen-line")
