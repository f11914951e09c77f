"""A module that works in place changes what the line before it needs."""

import sys

import torch
from torch import nn

CLEAN = "clean" in sys.argv


class Residual(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Linear(size, size)
        self.activation = nn.ReLU(inplace=not CLEAN)

    def forward(self, x):
        squashed = torch.tanh(self.inner(x))  # created
        return x + self.activation(squashed)  # ended


def main():
    torch.manual_seed(0)
    model = nn.Sequential(Residual(16), Residual(16), nn.Linear(16, 3))
    for _ in range(3):
        x, y = torch.randn(8, 16), torch.randint(3, (8,))
        nn.functional.cross_entropy(model(x), y).backward()  # used


main()
