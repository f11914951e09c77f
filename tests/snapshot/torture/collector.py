"""The collector as the program set it: frozen, off, with thresholds, with callbacks. Snapshots change none of it."""

import gc

import tenure

seen = []
frozen = [{"block": bytearray(50000)} for _ in range(50)]
gc.collect()
if hasattr(gc, "freeze"):
    gc.freeze()
before = gc.get_freeze_count()
gc.disable()
gc.set_threshold(123, 4, 5)
gc.callbacks.append(lambda phase, info: seen.append((phase, info["generation"])))


class Node:
    def __del__(self):
        seen.append("ended")


node = Node()
node.me = node
node.block = bytearray(300000)
del node
counts = gc.get_count()[1:]
for _ in range(20):
    tenure.snapshot()
print(gc.isenabled(), gc.get_threshold(), gc.get_freeze_count() == before, seen)
print(gc.get_count()[1:] == counts, gc.is_tracked(frozen), gc.get_debug(), gc.garbage)
gc.enable()
tenure.snapshot()
print(gc.isenabled(), len(seen) <= 3)
gc.collect()
gc.unfreeze()
tenure.snapshot()
print(gc.get_freeze_count(), len(gc.callbacks), "ended" in seen, len(frozen))
