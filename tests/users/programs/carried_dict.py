"""Trains an LSTM on pieces of a stream; the state between them is in a dict of the trainer."""

import sys

import torch
from torch import nn

CLEAN = "clean" in sys.argv


class Trainer:
    def __init__(self):
        self.cell = nn.LSTM(12, 24, batch_first=True)
        self.head = nn.Linear(24, 12)
        self.optimizer = torch.optim.SGD([*self.cell.parameters(), *self.head.parameters()], 0.1)
        self.carry = {"state": None}

    def step(self, piece):
        out, state = self.cell(piece[:, :-1], self.carry["state"])  # created
        self.carry["state"] = tuple(part.detach() for part in state) if CLEAN else state
        loss = nn.functional.mse_loss(self.head(out), piece[:, 1:])
        self.optimizer.zero_grad()
        loss.backward()  # used
        self.optimizer.step()


def main():
    torch.manual_seed(0)
    trainer = Trainer()
    for _ in range(4):
        trainer.step(torch.randn(4, 9, 12))


main()
