"""A list of very many items that are few objects. One of them is in it once, far behind."""

import tenure

UNIT = 4096
often = [bytearray((100 + i) * UNIT) for i in range(3)]
crowd = often * 100_000
crowd[200_000] = bytearray(110 * UNIT)
crowd[250_000] = crowd
del often
tenure.snapshot()
print("fine")
