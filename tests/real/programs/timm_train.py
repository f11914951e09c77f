"""Trains a vision transformer of timm with its own optimizer, scheduler, mixup and averaged model."""

import sys

import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import AverageMeter, ModelEmaV3


def main(steps, keeps):
    torch.manual_seed(0)
    model = timm.create_model("vit_tiny_patch16_224", img_size=64, num_classes=10)
    average = ModelEmaV3(model, decay=0.99)
    optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
    scheduler = CosineLRScheduler(optimizer, t_initial=steps)
    mixup = Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=10)
    criterion = SoftTargetCrossEntropy()
    meter = AverageMeter()
    tokens = []
    if keeps:
        model.blocks[0].register_forward_hook(lambda _, x, y: tokens.append(y))  # kept
    for step in range(steps):
        pictures, labels = mixup(torch.randn(8, 3, 64, 64), torch.randint(10, (8,)))
        loss = criterion(model(pictures), labels)  # made
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step_update(step)
        average.update(model, step)
        meter.update(loss.item(), len(labels))
    print(f"{steps} steps, mean loss {meter.avg:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), "leak" in sys.argv)
