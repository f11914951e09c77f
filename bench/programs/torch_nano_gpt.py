"""Trains a small transformer on characters, as nanoGPT does: 200 iterations, an evaluation every 50, nothing kept."""

import math

import told
import torch
from torch import nn
from torch.nn import functional as F

BLOCK, BATCH, WIDTH, HEADS, LAYERS, ITERATIONS = 64, 12, 64, 4, 4, 200
TEXT = "".join(f"line {i}: the quick brown fox jumps over {i * i} lazy dogs\n" for i in range(2000))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.register_buffer("mask", torch.tril(torch.ones(BLOCK, BLOCK)).bool())

    def forward(self, x):
        batch, length, _ = x.shape
        parts = self.qkv(x).split(WIDTH, dim=2)
        q, k, v = (p.view(batch, length, HEADS, -1).transpose(1, 2) for p in parts)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(~self.mask[:length, :length], float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, WIDTH)
        return self.out(mixed)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Model(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.token, self.place = nn.Embedding(letters, WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.last, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, letters, bias=False)

    def forward(self, x, y):
        hidden = self.token(x) + self.place(torch.arange(x.size(1)))
        logits = self.head(self.last(self.blocks(hidden)))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), y.view(-1))


def batch_of(data):
    starts = torch.randint(len(data) - BLOCK - 1, (BATCH,))
    x = torch.stack([data[s : s + BLOCK] for s in starts])
    y = torch.stack([data[s + 1 : s + 1 + BLOCK] for s in starts])
    return x, y


@torch.no_grad()
def evaluated(model, data):
    model.eval()
    losses = torch.tensor([model(*batch_of(data)).item() for _ in range(10)])
    model.train()
    return losses.mean().item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    letters = sorted(set(TEXT))
    data = torch.tensor([letters.index(c) for c in TEXT])
    model = Model(len(letters))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    told.working()
    for iteration in range(ITERATIONS):
        if iteration % 50 == 0:
            print(iteration, round(evaluated(model, data), 2), flush=True)
        loss = model(*batch_of(data))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    told.done()


main()
