"""Objects whose code must never run for a snapshot: every special method tells when it does."""

import collections
import functools
import gc
import sys
import types
import weakref

import tenure

calls = []
armed = False


def telling(name, otherwise):
    def method(self, *args):
        if armed:
            calls.append(name)
        return otherwise(self, *args)

    method.__name__ = name
    return method


class Meta(type):
    __repr__ = telling("Meta.__repr__", lambda c: "Meta")
    __hash__ = telling("Meta.__hash__", lambda c: 5)
    __eq__ = telling("Meta.__eq__", lambda c, o: c is o)
    __getattribute__ = telling("Meta.__getattribute__", type.__getattribute__)
    __instancecheck__ = telling("Meta.__instancecheck__", lambda c, o: True)
    __subclasscheck__ = telling("Meta.__subclasscheck__", lambda c, o: True)


class Hostile(metaclass=Meta):
    __class__ = property(telling("__class__", lambda self: int))
    __dict__ = property(telling("__dict__", lambda self: {}))
    __repr__ = telling("__repr__", lambda self: "Hostile")
    __str__ = telling("__str__", lambda self: "Hostile")
    __eq__ = telling("__eq__", lambda self, other: self is other)
    __hash__ = telling("__hash__", lambda self: 7)
    __len__ = telling("__len__", lambda self: 3)
    __bool__ = telling("__bool__", lambda self: False)
    __iter__ = telling("__iter__", lambda self: iter(()))
    __getattr__ = telling("__getattr__", lambda self, name: 1)
    __getattribute__ = telling("__getattribute__", object.__getattribute__)
    __setattr__ = telling("__setattr__", object.__setattr__)
    __getitem__ = telling("__getitem__", lambda self, key: 1)
    __call__ = telling("__call__", lambda self: 1)
    __index__ = telling("__index__", lambda self: 1)
    __sizeof__ = telling("__sizeof__", lambda self: 1)
    __reduce_ex__ = telling("__reduce_ex__", lambda self, n: "x")
    __array__ = telling("__array__", lambda self: None)
    __array_interface__ = property(telling("__array_interface__", lambda self: {}))
    __torch_function__ = telling("__torch_function__", lambda self: None)
    __del__ = telling("__del__", lambda self: None)
    anything = property(telling("anything", lambda self: 1))

    def __init__(self, block):
        object.__setattr__(self, "block", block)


class Text(str):
    __hash__ = telling("Text.__hash__", str.__hash__)
    __eq__ = telling("Text.__eq__", str.__eq__)
    __str__ = telling("Text.__str__", str.__str__)
    __len__ = telling("Text.__len__", str.__len__)


class Table(dict):
    __iter__ = telling("Table.__iter__", dict.__iter__)
    __getitem__ = telling("Table.__getitem__", dict.__getitem__)
    __missing__ = telling("Table.__missing__", lambda self, key: 1)
    keys = telling("Table.keys", dict.keys)
    items = telling("Table.items", dict.items)


class Module(types.ModuleType):
    __getattribute__ = telling("Module.__getattribute__", types.ModuleType.__getattribute__)
    __getattr__ = telling("Module.__getattr__", lambda self, name: 1)


class Slotted:
    __slots__ = ("block", "__weakref__")
    __getattribute__ = telling("Slotted.__getattribute__", object.__getattribute__)


def block():
    return bytearray(300000)


key = Hostile(block())
held = {key: block(), Text("text"): block()}
kept = [Hostile(block()) for _ in range(10)]
table = Table(a=block())
sets = {Hostile(block())}
counted = collections.Counter({Hostile(block()): 1})
partial = functools.partial(Hostile(block()), Hostile(block()))
cached = functools.lru_cache(maxsize=3)(lambda h: block())
cached(kept[0])
slotted = Slotted()
slotted.block = block()
weak = weakref.WeakValueDictionary({"h": kept[1]})
gone = weakref.ref(kept[2], lambda ref: calls.append("weakref callback") if armed else None)
sys.modules["hostile_module"] = Module("hostile_module")
sys.modules["hostile_module"].held = Hostile(block())
sys.modules["not_a_module"] = Hostile(block())


def raiser(argument):
    local = Hostile(block())
    raise ValueError(local, argument)


try:
    raiser(Hostile(block()))
except ValueError as error:
    stored = error

cycle = Hostile(block())
object.__setattr__(cycle, "me", cycle)
del cycle

gc.disable()  # a collection of the program's own would end the cycle
for _ in range(5):
    armed = True
    tenure.snapshot()
    armed = False
print("calls:", calls, len(kept), gone() is kept[2], len(weak))
del sys.modules["not_a_module"]
