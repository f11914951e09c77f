"""Lines for arrays whose memory XLA's own threads made: each array remembers who asked for it.

From time to time the arrays that are alive are asked, as far as they are ready, and their blocks are booked where they
belong. Runs in Tenure's private namespace; `native`, `interceptors` and `jax` (the namespace of _jax.py) are given.
"""

import gc
import os

NAME = "adapter.jax.lines"
MOST_STACKS = 4096

stacks: dict = {}  # what an array remembers -> number of the stack in the ledger
process = [os.getpid()]
is_on = [False]


def on_births():
    """XLA made something, and it is our turn."""
    if not is_on[0]:
        return
    try:
        lend_lines()
    except Exception:
        is_on[0] = False
        native["fact"](NAME, "off: it failed")


before_snapshot = on_births  # what is held must have its line


def lend_lines():
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for backend in list(jax["found"]("xla_bridge:_backends").values()):
            lend_to(backend.live_arrays())
    finally:
        if was_enabled:
            gc.enable()


def lend_to(arrays):
    if process[0] != os.getpid():  # numbers of a parent's ledger
        process[0] = os.getpid()
        stacks.clear()
    waiting = []
    for array in arrays:
        address = jax["address_of"](array)
        born = native["born_without_python"](address) if address else 0
        if born:
            waiting.append((born, address, array.traceback))
    waiting.sort(key=lambda item: item[0])
    for _, address, traceback in waiting:
        if traceback is not None:
            native["lend_stack"](address, stack_of(traceback))


def stack_of(traceback):
    number = stacks.get(traceback)
    if number is None:
        if len(stacks) >= MOST_STACKS:
            stacks.clear()
        codes, offsets = traceback.raw_frames()
        number = stacks[traceback] = native["stack_of_codes"](list(codes), list(offsets))
    return number


def at_end():
    """Before the interpreter takes everything apart; XLA goes on meanwhile."""
    on_births()
    is_on[0] = False


def start():
    backends = jax["found"]("xla_bridge:_backends")
    array = jax["array_type"]()
    wanted = ("traceback", "is_ready", "unsafe_buffer_pointer")
    if not isinstance(backends, dict) or not all(hasattr(array, name) for name in wanted):
        native["fact"](NAME, "off: arrays do not tell where they were made")
        return
    native["on_foreign_births"](on_births)
    jax["lend_to"] = lend_to
    is_on[0] = True
    native["fact"](NAME, "on")


start()
