"""What the program `tenure` starts: `write DATASET ROWS` and `sql QUESTION DATASET FORMAT`. Ends with 2 and one sentence."""

import os
import sys

from . import _sql, _write
from ._engine import Refused


def main(words):
    try:
        {"write": _write.main, "sql": _sql.main}[words[0]](*words[1:])
    except Refused as refused:
        sys.stderr.write("tenure: %s\n" % refused)
        return 2
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
