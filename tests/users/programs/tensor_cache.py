"""Looks up embeddings through a cache whose keys are tensors: each one is new."""

import functools
import sys

import torch

CLEAN = "clean" in sys.argv
table = torch.randn(2000, 256)


@functools.lru_cache(maxsize=16 if CLEAN else None)  # kept
def embed(words):
    return table[words].mean(1)  # made


def main():
    torch.manual_seed(0)
    total = 0.0
    for _ in range(300):
        words = torch.randint(2000, (64, 12))
        total += embed(words).sum().item()
    print(total == total)


main()
