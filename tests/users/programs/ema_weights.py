"""Trains a network and keeps a moving average of its weights."""

import sys

import torch

CLEAN = "clean" in sys.argv


class Average:
    def __init__(self, model):
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    def update(self, model):
        for name, p in model.named_parameters():
            value = p.detach() if CLEAN else p
            self.shadow[name] = 0.99 * self.shadow[name] + 0.01 * (value * value).sqrt()  # made


def main():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    average = Average(model)
    for _ in range(120):
        x = torch.randn(32, 64)
        loss = (model(x) - x[:, :8]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model)
    print(sorted(average.shadow))


main()
