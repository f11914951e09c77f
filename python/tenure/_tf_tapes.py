"""Gradient tapes that keep what they recorded: one that is entered again and again, or many that are never dropped.

Runs in Tenure's private namespace; `native`, `taps`, `causes` and `tf` (the namespace of _tensorflow.py) are given.
"""

MOST_LINES = 60  # of a `with` block


class Life:
    """What is known of one tape. Kept beside it, never in it."""

    def __init__(self):
        self.entries = 0
        self.cause = None


lives: dict = {}  # id of a tape -> Life
piles: dict = {}  # (code, instruction) of the user's `with` -> Pile


def on_entered(_result, args, _kwargs):
    tape = args[0]
    life = lives.get(id(tape))
    if life is None:
        life = lives[id(tape)] = Life()
        taps["when_gone"](tape, lives.pop, id(tape), None)
        add_to_pile(tape, life)
    elif getattr(tape, "_persistent", False):
        life.entries += 1
        if life.entries >= 2:
            if life.cause is None:
                names = taps["names_of"](tape, taps["caller"]())
                life.cause = reused_cause(taps["shown"](names, "without a name"))
            life.cause.occurred(tf["stack_here"]())


def add_to_pile(tape, life):
    frame = taps["caller"]()
    if frame is None or taps["is_library"](frame.f_code.co_filename):
        return
    pile = piles.setdefault((frame.f_code, frame.f_lasti), causes["Pile"]())
    pile.add(tape)
    full = [other for other in pile.alive() if getattr(other, "_tape", None) is not None]
    if pile.is_higher(len(full)):
        if pile.cause is None:
            pile.blame(pile_cause())
        life.cause = pile.cause
        life.cause.occurred(tf["stack_here"]())


def on_left(tape, *_error):
    """All lines of the block record into the tape, and so does what they call."""
    life = lives.get(id(tape))
    if life is None or life.cause is None:
        return
    last = taps["users"](tf["stack_here"]())
    for key, (place,) in list(life.cause.lines.items()):
        if last and key[0] == "0" and place[:2] == last[:2]:
            for line in range(place[2] + 1, min(block_end(place, last), place[2] + MOST_LINES) + 1):
                life.cause.occurred([(place[0], place[1], line)], "3")


block_ends: dict = {}  # place of a `with` -> its last line


def block_end(place, last):
    """From Python 3.8 on a block is left at the line of its `with`: the source knows where it ends."""
    if last[2] != place[2]:
        return last[2]
    if place not in block_ends:
        block_ends[place] = place[2]
        import ast
        import linecache

        for node in ast.walk(ast.parse("".join(linecache.getlines(place[0])))):
            if isinstance(node, ast.With) and node.lineno == place[2]:
                block_ends[place] = getattr(node, "end_lineno", None) or place[2]
    return block_ends[place]


def reused_cause(name):
    return causes["Cause"](
        "retained-autograd",
        "the persistent GradientTape %s" % name,
        "a persistent tape keeps every tensor it recorded as long as it lives, and this one is entered again and again",
        "make a new tf.GradientTape for each step, and drop it when its gradients are taken",
    )


def pile_cause():
    return causes["Cause"](
        "retained-autograd",
        "GradientTape objects that are never dropped",
        "a tape keeps every tensor it recorded until it is dropped, or until its gradient is taken if it is not "
        "persistent; the tapes of all steps are kept",
        "keep the gradients or the values, not the tape; `del tape` when its gradients are taken",
    )


def start():
    part = taps["Part"]("adapter.tensorflow.tapes")
    tape = tf["found"]("eager.backprop:GradientTape")
    part.tap(tape, "__enter__", after=on_entered)
    part.tap(tape, "__exit__", before=on_left)
    part.is_set()


start()
