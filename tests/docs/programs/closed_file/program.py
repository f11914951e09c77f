"""The log of a run is closed when its block ends, and one more line comes."""


def write(log, line):
    log.write(line + "\n")


with open("log.txt", "w") as log:
    write(log, "began")
write(log, "ended")
