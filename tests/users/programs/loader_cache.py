"""A Dataset that keeps every item it has decoded: each worker of the DataLoader has a cache of its own."""

import sys

import torch
from torch.utils.data import DataLoader, Dataset

CLEAN = "clean" in sys.argv


class Images(Dataset):
    def __init__(self):
        self.decoded = {}

    def __len__(self):
        return 600

    def __getitem__(self, i):
        if CLEAN:
            return self.decode(i)
        if i not in self.decoded:
            self.decoded[i] = self.decode(i)  # kept
        return self.decoded[i]

    def decode(self, i):
        pixels = torch.arange(3 * 64 * 64, dtype=torch.float32).view(3, 64, 64)
        return torch.sin(pixels * i)  # made


def main():
    torch.set_num_threads(1)
    total = 0.0
    for batch in DataLoader(Images(), batch_size=8, num_workers=2):
        total += batch.mean().item()
    print(total == total)


if __name__ == "__main__":
    main()
