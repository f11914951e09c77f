"""Fine-tunes and evaluates a tiny random BERT of transformers, epoch by epoch, keeping the best weights."""

import copy
import sys

import torch
from transformers import BertConfig, BertForSequenceClassification


def epoch(model, optimizer, tokens, labels):
    model.train()
    for at in range(0, len(tokens), 8):
        out = model(input_ids=tokens[at : at + 8], labels=labels[at : at + 8])
        optimizer.zero_grad()
        out.loss.backward()
        optimizer.step()


def accuracy(model, tokens, labels, scores):
    model.eval()
    with torch.set_grad_enabled(scores is not None):
        logits = model(input_ids=tokens).logits  # made
    if scores is not None:
        scores.append(logits)  # kept
    return (logits.argmax(-1) == labels).float().mean().item()


def main(epochs, keeps):
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=300,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
    )
    model = BertForSequenceClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    tokens = torch.randint(300, (64, 32))
    labels = (tokens[:, 0] > 150).long()
    best, weights = 0.0, None
    scores = [] if keeps else None
    for _ in range(epochs):
        epoch(model, optimizer, tokens, labels)
        score = accuracy(model, tokens, labels, scores)
        if score >= best:
            best, weights = score, copy.deepcopy(model.state_dict())
    model.load_state_dict(weights)
    print(f"best accuracy {best:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), "leak" in sys.argv)
