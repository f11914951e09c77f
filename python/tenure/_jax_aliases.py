"""Arrays of JAX that are NumPy's own memory, where that memory is written while they are there.

`jax.device_put` copies nothing where the memory lies at a multiple of 64. That is no fault, nor is it one to fill a buffer
again for the next array. But an array that outlives such a write holds something else than it was made of. Only arrays
that share memory are looked at: when the next one is made of it, when the only one ends, and at the program's end. Runs
in Tenure's private namespace; `native`, `interceptors` and `jax` (the namespace of _jax.py) are given.
"""

import weakref

NAME = "adapter.jax.aliases"
LEAST = 1024  # bytes; smaller blocks have no line
ALIGNED = 64
MOST_MEMORIES = 256
MOST_ARRAYS = 8  # of one memory: the oldest ones tell most

memories: dict = {}  # (id of the NumPy array that has the memory, address) -> Memory
deleted: set = set()  # ids of arrays that are there, but were deleted
is_on = [False]
array_type = interceptors["found"]("numpy:ndarray")  # type: ignore[name-defined]
buffer_address = native["buffer_address"]  # type: ignore[name-defined]


class Memory:
    """A part of a NumPy array, and the arrays of JAX that were made of it and are alive."""

    def __init__(self, key, owner):
        self.key, self.address = key, key[1]
        self.owner = weakref.ref(owner, lambda _: memories.pop(key, None))
        self.times = 0  # that an array was made of it
        self.arrays = {}  # number of that time -> Alias

    def add(self, array):
        self.times += 1
        if len(self.arrays) < MOST_ARRAYS:
            self.arrays[self.times] = Alias(array, self)

    def look(self, is_last=False):
        """The newest array may be about to be replaced: loops fill one buffer again and again. It tells if it stays the only one."""
        for time, alias in list(self.arrays.items()):
            array = alias.array() if time < self.times or (is_last and self.times == 1) else None
            if array is not None and not array.is_deleted():
                self.compare(alias)

    def compare(self, alias):
        owner, was = self.owner(), alias.contents
        alias.contents = native["contents"](self.address, alias.bytes)
        if owner is not None and alias.contents != was:
            tell(alias, owner)


class Alias:
    """An array of JAX. No reference leads from here to the memory's other arrays, nor to any object of the program."""

    def __init__(self, array, memory):
        self.bytes = array.nbytes
        self.born = array.traceback
        self.type = jax["type_in_words"](array)
        self.contents = native["contents"](memory.address, self.bytes)
        words = memory.key, memory.times, id(array)
        self.array = weakref.ref(array, lambda _: on_end(*words))


def on_end(key, time, number):
    """An array ends. Its memory is there as long as the owner is."""
    is_given_away = number in deleted or number in jax.get("donated", ())
    deleted.discard(number)
    memory = memories.get(key)
    alias = memory.arrays.pop(time, None) if memory is not None else None
    if is_on[0] and alias is not None and memory.times == 1 and not is_given_away:
        memory.compare(alias)


def before_delete(arrays):
    ended = {id(array) for array in arrays}
    for memory in list(memories.values()):
        deleted.update(ended & {id(alias.array()) for alias in list(memory.arrays.values())})


def tell(alias, owner):
    born, made = jax["places_in"](alias.born), maker_of(owner)
    is_known = interceptors["users"](made) is not None
    place = sentence("jax.made_at", line=interceptors["line_of"](made)) if is_known else ""
    native["lifetime_error"](
        Kind.INPLACE_MODIFIED,
        Severity.NOTE,
        sentence("jax.alias.title"),
        sentence("jax.alias.why", type=alias.type, line=interceptors["line_of"](born), made=place),
        sentence("jax.alias.fix"),
        "",
        "",
        "",
        [(PlaceRole.CREATED, born)] + ([(PlaceRole.MADE_AT, made)] if is_known else []),
    )


def maker_of(owner):
    """Where the memory was asked for; that of a mapping begins where its object's does."""
    for thing in (owner, owner.base):
        try:
            stack = native["stack_of"](buffer_address(thing))
        except Exception:  # it lends no memory
            continue
        if stack:
            return stack[::-1]
    return []


def owner_of(array):
    while array_type in type(array.base).__mro__:
        array = array.base
    return array


def on_put(made, given, _kwargs):
    """_batched_device_put_impl(*given) made arrays. Almost none of them shares memory: that costs a microsecond."""
    for source in given:
        if array_type in type(source).__mro__ and buffer_address(source) % ALIGNED == 0:
            return on_aligned(made, given)


def on_aligned(made, given):
    if not is_on[0] or len(made) != len(given):
        return
    for array, source in zip(made, given):
        if array_type in type(source).__mro__ and source.nbytes >= LEAST:
            address = jax["address_of"](array)
            if address == buffer_address(source):
                on_shared(array, owner_of(source), address)


def on_shared(array, owner, address):
    if not owner.flags.writeable:
        return
    key = (id(owner), address)
    memory = memories.get(key)
    if memory is None:
        if len(memories) >= MOST_MEMORIES:
            return
        memory = memories[key] = Memory(key, owner)
    memory.look()
    memory.add(array)


def at_end():
    """Before the interpreter takes everything apart."""
    for memory in list(memories.values()):
        memory.look(is_last=True)
    is_on[0] = False


def start():
    part = interceptors["Part"](NAME)
    part.intercept(jax["found"]("dispatch"), "_batched_device_put_impl", after=on_put)
    is_on[0] = part.is_set()
    if is_on[0]:
        jax["before_delete_of_aliases"] = before_delete


start()
