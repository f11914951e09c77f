import numpy as np
import tenure

tenure.snapshot()


class Loader:
    def __init__(self):
        self.cache = []

    def load(self):
        big = np.ones((1000, 1000))
        self.cache.append(big[:2, :3])


loader = Loader()
for _ in range(20):
    loader.load()
heads = {i: np.zeros((500, 500)).T[0] for i in range(5)}
tenure.snapshot()
print("fine")
