import functools

import tenure
import torch

tenure.snapshot()


class Model:
    def __init__(self):
        self.weight = torch.ones(1000, 1000)

    @functools.lru_cache(maxsize=None)
    def features(self, k):
        return self.weight * k


for i in range(15):
    model = Model()
    model.features(i)
del model
tenure.snapshot()
print("fine")
