"""Trains a small classifier and checks it on held-out data as it goes. docs/tour.md finds the leak of train.py.

train_fixed.py is the same without it. Run it with: tenure run --report train.py
"""

import torch
from torch import nn

STEPS = 150


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 256)
        self.second = nn.Linear(256, 10)

    def forward(self, inputs):
        hidden = torch.relu(self.first(inputs))
        return self.second(hidden)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters())
        self.curve = []  # the validation loss of each step, for the plot

    def train(self, inputs, labels):
        self.optimizer.zero_grad()
        outputs = self.model(inputs)
        loss = nn.functional.cross_entropy(outputs, labels)
        loss.backward()
        self.optimizer.step()

    def validate(self, inputs, labels):
        outputs = self.model(inputs)
        loss = nn.functional.cross_entropy(outputs, labels)
        self.curve.append(loss.item())


def make_data(rows):
    inputs = torch.randn(rows, 64)
    return inputs, inputs[:, :10].argmax(dim=1)


torch.manual_seed(7)
inputs, labels = make_data(8192)
held_out = make_data(512)
trainer = Trainer(Classifier())
for _ in range(STEPS):
    rows = torch.randint(len(inputs), (128,))
    trainer.train(inputs[rows], labels[rows])
    trainer.validate(*held_out)
print(f"validation loss {trainer.curve[-1]:.3f}, was {trainer.curve[0]:.3f}")
