"""A torch DataLoader with two workers; snapshots in the training loop and in the workers."""

import tenure
import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, i):
        if i % 16 == 0:
            tenure.snapshot()
        return torch.full((50000,), float(i * i))


def main():
    torch.manual_seed(1)
    model = torch.nn.Linear(50000, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-12)
    kept = []
    for epoch in range(2):
        for batch in DataLoader(Squares(), batch_size=8, num_workers=2):
            loss = model(batch).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            kept.append(batch[0])
            tenure.snapshot()
    print([float(x[0]) for x in kept], model.weight.double().sum().item())


main()
