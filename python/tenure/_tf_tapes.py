"""Gradient tapes that keep what they recorded: one that is entered again and again, or many that are never dropped.

Runs in Tenure's private namespace; `native`, `load`, `interceptors`, `causes` and `tf` (the namespace of _tensorflow.py)
are given.
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
        interceptors["when_gone"](tape, lives.pop, id(tape), None)
        add_to_pile(tape, life)
    elif getattr(tape, "_persistent", False):
        life.entries += 1
        if life.entries >= 2:
            if life.cause is None:
                names = interceptors["names_of"](tape, interceptors["caller"]())
                life.cause = reused_cause(interceptors["shown"](names, sentence("nameless")))
            life.cause.occurred(tf["stack_here"]())


def add_to_pile(tape, life):
    frame = interceptors["caller"]()
    if frame is None or interceptors["is_library"](frame.f_code.co_filename):
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
    last = interceptors["users"](tf["stack_here"]())
    for place in life.cause.places(CauseRank.RESPONSIBLE):
        if last and place[:2] == last[:2]:
            for line in range(place[2] + 1, min(block_end(place, last), place[2] + MOST_LINES) + 1):
                here = [(place[0], place[1], line)]
                life.cause.occurred(here, CauseRank.AFFECTED_WITH_CALLEES)


block_ends: dict = {}  # place of a `with` -> its last line


def block_end(place, last):
    """From Python 3.8 on a block is left at the line of its `with`: the source knows where it ends."""
    if last[2] != place[2]:
        return last[2]
    if place not in block_ends:
        block_ends[place] = load("_statements")["block_end"](place[0], place[2])
    return block_ends[place]


def reused_cause(name):
    return causes["Cause"](
        Kind.RETAINED_AUTOGRAD,
        sentence("tf.reused_tape.holder", name=name),
        sentence("tf.reused_tape.why"),
        sentence("tf.reused_tape.fix"),
    )


def pile_cause():
    return causes["Cause"](
        Kind.RETAINED_AUTOGRAD,
        sentence("tf.tape_pile.holder"),
        sentence("tf.tape_pile.why"),
        sentence("tf.tape_pile.fix"),
    )


def start():
    part = interceptors["Part"]("adapter.tensorflow.tapes")
    tape = tf["found"]("eager.backprop:GradientTape")
    part.intercept(tape, "__enter__", after=on_entered)
    part.intercept(tape, "__exit__", before=on_left)
    part.is_set()


start()
