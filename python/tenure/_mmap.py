"""Memory maps: watched as streams are, once the program has loaded them.

Runs in Tenure's private namespace; `load` is given.
"""


def start():
    import mmap

    load("_streams")["watch"](mmap.mmap)


start()
