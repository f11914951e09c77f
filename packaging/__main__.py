"""`tenure` and `python -m tenure`: becomes the program of this package."""

import os
import sys


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    program = os.path.join(here, "_native", "bin", "tenure")
    try:
        os.execv(program, [program] + sys.argv[1:])
    except OSError as error:
        sys.exit("tenure: %s: %s" % (program, error.strerror))


if __name__ == "__main__":
    main()
