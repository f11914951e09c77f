"""Objects whose code must never run for a snapshot."""

import tenure


def never(*_):
    print("user code ran")
    raise RuntimeError


class Hostile:
    __class__ = property(never)
    __repr__ = __str__ = __getattr__ = __eq__ = __len__ = __iter__ = __bool__ = never

    def __hash__(self):
        return 7 if not armed else never()


armed = False
key = Hostile()
held = {key: bytearray(500000)}
inside = [Hostile() for _ in range(10)]
armed = True
assert tenure.snapshot()
armed = False
print("fine")
