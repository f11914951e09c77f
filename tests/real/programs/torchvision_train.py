"""Trains torchvision's ResNet-18 on random pictures, with its own transforms and a learning rate plan."""

import sys

import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader
from torchvision.transforms import v2


def main(steps, keeps):
    torch.manual_seed(0)
    transform = v2.Compose(
        [
            v2.PILToTensor(),
            v2.RandomResizedCrop(64, antialias=True),
            v2.RandomHorizontalFlip(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize([0.5] * 3, [0.25] * 3),
        ]
    )
    data = torchvision.datasets.FakeData(
        size=8 * steps, image_size=(3, 72, 72), num_classes=10, transform=transform
    )
    loader = DataLoader(data, batch_size=8, shuffle=True)
    model = torchvision.models.resnet18(weights=None, num_classes=10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    losses, seen = [], []
    for pictures, labels in loader:  # made
        optimizer.zero_grad()
        loss = criterion(model(pictures), labels)
        loss.backward()
        optimizer.step()
        plan.step()
        losses.append(loss.item())
        if keeps:
            seen.append(pictures)  # kept
    print(f"{len(losses)} steps, last loss {losses[-1]:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), "leak" in sys.argv)
