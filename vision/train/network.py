"""The network, its training loop, and its way into an ONNX file.

A plain chain of convolutions, small enough for a fifth of a millisecond on one thread. Batch
normalisation is folded into the convolutions when the file is written, so that the file holds nothing
but convolutions, rectifiers and two matrices, and needs no exporter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from vision.classes import LABELS
from vision.crop import CROP_H, CROP_W, to_input
from vision.train.pool import Pool

EMBEDDING = 64
_CHANNELS = ((3, 24, 5, 2), (24, 32, 3, 1), (32, 64, 3, 2), (64, 64, 3, 1), (64, 96, 3, 2), (96, 32, 1, 1))
"""Each convolution's inputs, outputs, kernel and stride."""
_FLAT = 32 * (CROP_H // 8) * (CROP_W // 8)


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how hard to train."""

    epochs: int
    batch: int = 256
    top_rate: float = 4e-3
    weight_decay: float = 0.02
    smoothing: float = 0.03


def make_network() -> nn.Sequential:
    """The network with fresh weights: features, then the embedding, then the outputs of ``LABELS``."""
    layers: list[nn.Module] = []
    for inputs, outputs, kernel, stride in _CHANNELS:
        layers += [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
    features = nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.1))
    return nn.Sequential(features, nn.Linear(_FLAT, EMBEDDING), nn.Linear(EMBEDDING, len(LABELS)))


def fit(network: nn.Sequential, pool: Pool, schedule: Schedule, *, seed: int, say: Callable[[str], None]) -> None:
    """Train in place on a pool of frames; ``say`` hears of each epoch."""
    frames, labels = pool.frames, pool.labels
    generator = torch.Generator().manual_seed(seed)
    pictures, answers = torch.from_numpy(frames), torch.from_numpy(labels)
    optimiser = torch.optim.AdamW(network.parameters(), lr=schedule.top_rate / 10, weight_decay=schedule.weight_decay)
    steps = schedule.epochs * (len(frames) // schedule.batch)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, schedule.top_rate, total_steps=steps, pct_start=0.15)
    loss_of = nn.CrossEntropyLoss(label_smoothing=schedule.smoothing)
    network.to(memory_format=torch.channels_last)
    network.train()
    for epoch in range(schedule.epochs):
        order = torch.randperm(len(frames), generator=generator)
        total, right = 0.0, 0
        for start in range(0, len(frames) - schedule.batch + 1, schedule.batch):
            chosen = order[start : start + schedule.batch]
            batch = _varied(pictures[chosen], generator)
            logits = network(batch)
            loss = loss_of(logits, answers[chosen])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            rate.step()
            total += float(loss.detach())
            right += int((logits.argmax(1) == answers[chosen]).sum())
        count = len(frames) // schedule.batch
        say(f"epoch {epoch + 1} of {schedule.epochs}: loss {total / count:.3f}, right {right / count / schedule.batch:.2%}")
    network.eval()


def _varied(pictures: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """A batch as the network takes it, moved by up to a pixel and changed in light and colour, so that no frame is seen twice alike."""
    batch = (pictures.permute(0, 3, 1, 2).float() - 127.5) / 64.0
    shift = torch.randint(-1, 2, (2,), generator=generator).tolist()
    batch = torch.roll(batch, shift, dims=(2, 3))
    gain = 1 + 0.1 * torch.randn((len(batch), 3, 1, 1), generator=generator)
    return (batch * gain + 0.1 * torch.randn((len(batch), 1, 1, 1), generator=generator)).contiguous(memory_format=torch.channels_last)


def outputs(network: nn.Sequential, frames: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Logits (n × outputs) for frames, in evaluation mode."""
    network.eval()
    with torch.no_grad():
        return np.concatenate([network(torch.from_numpy(to_input(frames[i : i + 512]))).numpy() for i in range(0, len(frames), 512)])


def save(network: nn.Sequential, path: Path, notes: dict[str, str]) -> None:
    """Write the network with ``notes`` as the file's metadata; inputs and outputs are named crops, logits, embedding."""
    constants: list[onnx.TensorProto] = []
    nodes: list[onnx.NodeProto] = []
    features, embed, classify = network
    name = "crops"
    modules = [module for module in features if isinstance(module, nn.Conv2d | nn.BatchNorm2d)]
    for index, (convolution, norm) in enumerate(zip(modules[::2], modules[1::2], strict=True)):
        weight, bias = _folded(convolution, norm)
        constants += [numpy_helper.from_array(weight, f"w{index}"), numpy_helper.from_array(bias, f"b{index}")]
        kernel, stride = _CHANNELS[index][2:]
        nodes += [
            helper.make_node(
                "Conv",
                [name, f"w{index}", f"b{index}"],
                [f"c{index}"],
                kernel_shape=[kernel] * 2,
                pads=[kernel // 2] * 4,
                strides=[stride] * 2,
            ),
            helper.make_node("Relu", [f"c{index}"], [f"r{index}"]),
        ]
        name = f"r{index}"
    nodes.append(helper.make_node("Flatten", [name], ["flat"]))
    name = "flat"
    for layer, output in ((embed, "embedding"), (classify, "logits")):
        constants += [
            numpy_helper.from_array(layer.weight.detach().numpy(), f"w_{output}"),
            numpy_helper.from_array(layer.bias.detach().numpy(), f"b_{output}"),
        ]
        nodes.append(helper.make_node("Gemm", [name, f"w_{output}", f"b_{output}"], [output], transB=1))
        name = output
    graph = helper.make_graph(
        nodes,
        "twinwall-tiles",
        [helper.make_tensor_value_info("crops", TensorProto.FLOAT, ["n", 3, CROP_H, CROP_W])],
        [
            helper.make_tensor_value_info(one, TensorProto.FLOAT, ["n", size])
            for one, size in (("logits", len(LABELS)), ("embedding", EMBEDDING))
        ],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    helper.set_model_props(model, notes)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def _folded(convolution: nn.Conv2d, norm: nn.BatchNorm2d) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights and biases of a convolution that does the normalisation after it as well."""
    scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
    weight = convolution.weight.detach() * scale[:, None, None, None]
    bias = norm.bias.detach() - norm.running_mean * scale
    return weight.contiguous().numpy(), bias.numpy()
