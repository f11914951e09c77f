"""A bank of memories is read, and written without gradients before backward() is done with it."""

import sys

import torch
from torch import nn

CLEAN = "clean" in sys.argv


class Memory(nn.Module):
    def __init__(self, slots=16, size=32):
        super().__init__()
        self.register_buffer("bank", torch.zeros(slots, size))
        self.key = nn.Linear(size, size)

    def read(self, x):
        bank = self.bank.clone() if CLEAN else self.bank
        return (self.key(x) @ bank.t()).softmax(-1) @ bank

    @torch.no_grad()
    def write(self, x):
        self.bank.mul_(0.9).add_(0.1 * x.mean(0))  # ended


def main():
    torch.manual_seed(0)
    memory, head = Memory(), nn.Linear(32, 1)
    for _ in range(3):
        x = torch.randn(8, 32)
        answer = head(memory.read(x))
        memory.write(x)
        answer.square().mean().backward()  # used


main()
