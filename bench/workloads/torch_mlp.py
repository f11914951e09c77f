"""Training of a small network, step by step: forward, backward, update. Tiny operations."""

import measured
import torch


def loop(n):
    for _ in range(n):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.set_num_threads(1)
torch.manual_seed(0)
x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))
model = torch.nn.Sequential(
    torch.nn.Linear(64, 128),
    torch.nn.ReLU(),
    torch.nn.Linear(128, 128),
    torch.nn.ReLU(),
    torch.nn.Linear(128, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
measured.steady(loop, 100, 600, settled_after=5)
