"""Trains a small convolutional network; one step, after some to warm up, is written down by record_traffic.cpp."""

import ctypes

import torch

record = ctypes.CDLL(None).record_traffic
torch.set_num_threads(1)
torch.manual_seed(0)
pictures, labels = torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 32, 3, padding=1),
    torch.nn.BatchNorm2d(32),
    torch.nn.ReLU(),
    torch.nn.Conv2d(32, 64, 3, padding=1),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Flatten(),
    torch.nn.Linear(64 * 16 * 16, 128),
    torch.nn.ReLU(),
    torch.nn.Linear(128, 10),
)
optimizer = torch.optim.Adam(model.parameters())
for step in range(6):
    if step == 5:
        record(1)
    loss = torch.nn.functional.cross_entropy(model(pictures), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
record(0)
