"""Trains a tiny random GPT-2 with transformers on random tokens, then lets it write."""

import sys

import torch
from torch.utils.data import DataLoader
from transformers import GPT2Config, GPT2LMHeadModel, get_linear_schedule_with_warmup


def batches(steps):
    tokens = torch.randint(500, (4 * steps, 64))
    return DataLoader(tokens, batch_size=4, shuffle=True)


def main(steps, keeps):
    torch.manual_seed(0)
    special = dict(eos_token_id=499, bos_token_id=499, pad_token_id=499)
    size = dict(vocab_size=500, n_positions=128, n_embd=64, n_layer=3, n_head=4)
    config = GPT2Config(**size, **special)
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = get_linear_schedule_with_warmup(optimizer, steps // 10, steps)
    total, outputs = 0.0, []
    for step, tokens in enumerate(batches(steps), start=1):
        out = model(input_ids=tokens, labels=tokens)  # made
        out.loss.backward()
        if keeps:
            outputs.append(out)  # kept
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        total += out.loss.item()
        if step % 10 == 0:
            model.generate(tokens[:1, :8], max_new_tokens=24, do_sample=True)
    print(f"{steps} steps, mean loss {total / steps:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), "leak" in sys.argv)
