"""The closed sets of words that adapters send to the ledger.

Made by tools/gen_vocabulary.py from src/base/vocabulary.json: change that. Given to every adapter by the boot.
"""


class Kind:
    """What a finding is. Growth first, then lifetime errors, then death."""

    GRAPH_GROWTH = "graph-growth"
    SESSION_UNCLOSED = "session-unclosed"
    RETRACING = "retracing"
    RETAINED_PYTHON = "retained-python"
    RETAINED_AUTOGRAD = "retained-autograd"
    RETAINED_FRAME = "retained-frame"
    RETAINED_VIEW = "retained-view"
    RETAINED_CYCLE = "retained-cycle"
    MODEL_REBUILT = "model-rebuilt"
    CACHE_GROWTH = "cache-growth"
    NATIVE_GROWTH = "native-growth"
    ALLOCATOR_RETENTION = "allocator-retention"
    COPY_ON_WRITE = "copy-on-write"
    SHARED_MEMORY = "shared-memory"
    CLOSED_SESSION = "closed-session"
    OTHER_GRAPH = "other-graph"
    OUT_OF_SCOPE = "out-of-scope"
    VARIABLE_DELETED = "variable-deleted"
    VARIABLE_UNINITIALIZED = "variable-uninitialized"
    QUEUE_CLOSED = "queue-closed"
    DETACHED_BUFFER = "detached-buffer"
    CLOSED_FILE = "closed-file"
    DELETED_ARRAY = "deleted-array"
    LEAKED_TRACER = "leaked-tracer"
    FREED_GRAPH = "freed-graph"
    INPLACE_MODIFIED = "inplace-modified"
    USE_AFTER_FREE = "use-after-free"
    DOUBLE_FREE = "double-free"
    OUT_OF_BOUNDS = "out-of-bounds"
    OUT_OF_MEMORY = "out-of-memory"


class PlaceRole:
    """Why a line is named in a finding."""

    MADE_AT = "made at"
    KEPT_AT = "kept at"
    RELEASED_AT = "released at"
    CREATED = "created"
    ENDED = "ended"
    USED = "used"


class Severity:
    """How much a finding matters. Error and leak decide the verdict; warning and note never change it, nor does what the user accepted."""

    ERROR = "error"
    LEAK = "leak"
    WARNING = "warning"
    NOTE = "note"
    ACCEPTED = "accepted"


class ScopeType:
    """What has a beginning and an end and owns tensors, or forbids their use when it ends."""

    SESSION = "session"
    GRAPH = "graph"
    REQUEST = "request"
    STEP = "step"
    FUNCTION = "function"
    WAIT = "wait"


class ScopeState:
    """How far a scope has come."""

    OPEN = "open"
    CLOSED = "closed"
    DELETED = "deleted"
    WAITING = "waiting"
    SERVED = "served"
    GAVE_UP = "gave up"


class CauseRank:
    """What a line is to a cause of growth that an adapter saw."""

    RESPONSIBLE = "responsible"
    AFFECTED = "affected"
    RESPONSIBLE_WITH_CALLEES = "responsible-with-callees"
    AFFECTED_WITH_CALLEES = "affected-with-callees"
    RESPONSIBLE_FOR_GOOD = "responsible-for-good"
    RELEASED = "released"


class ModelRole:
    """What memory is to a model. The ledger keeps the number of those that adapters tell: unknown to buffer."""

    UNKNOWN = 0
    PARAMETER = 1
    GRADIENT = 2
    OPTIMIZER_STATE = 3
    BUFFER = 4
    PASSING_GRADIENT = 5
    ACTIVATION = 6
