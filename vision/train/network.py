"""The network, its training loop, and its way into an ONNX file.

Plain chains of convolutions, each small enough for a fraction of a millisecond on one thread. Several
members are trained apart, on other sets, and speak together: where they err, they err differently. Batch
normalisation is folded into the convolutions when the file is written, so that the file holds nothing
but convolutions, rectifiers and matrices, in half precision, and needs no exporter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

EMBEDDING = 128
"""How many numbers all members' embeddings have together."""
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


def make_network(embedding: int) -> nn.Sequential:
    """One member with fresh weights: features, then its ``embedding`` numbers, then the outputs of ``LABELS``."""
    layers: list[nn.Module] = []
    for inputs, outputs, kernel, stride in _CHANNELS:
        layers += [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
    features = nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.1))
    return nn.Sequential(features, nn.Linear(_FLAT, embedding), nn.Linear(embedding, len(LABELS)))


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


def outputs(members: Sequence[nn.Sequential], frames: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The members' mean logits (n × outputs) for frames."""
    with torch.no_grad():
        parts = [
            torch.stack([member.eval()(torch.from_numpy(to_input(frames[start : start + 512]))) for member in members]).mean(0).numpy()
            for start in range(0, len(frames), 512)
        ]
    return np.concatenate(parts)


def save(members: Sequence[nn.Sequential], path: Path, notes: dict[str, str]) -> None:
    """Write the members as one model with ``notes`` as the file's metadata.

    Its input is ``crops``; its outputs are ``logits``, the members' mean, and ``embedding``, theirs side by side.
    """
    parts = [_member(member, f"m{index}") for index, member in enumerate(members)]
    nodes = [node for part, _ in parts for node in part]
    nodes.append(helper.make_node("Mean", [f"m{index}_logits" for index in range(len(members))], ["logits"]))
    nodes.append(helper.make_node("Concat", [f"m{index}_embedding" for index in range(len(members))], ["embedding"], axis=1))
    graph = helper.make_graph(
        nodes,
        "twinwall-tiles",
        [helper.make_tensor_value_info("crops", TensorProto.FLOAT, ["n", 3, CROP_H, CROP_W])],
        [
            helper.make_tensor_value_info(one, TensorProto.FLOAT, ["n", size])
            for one, size in (("logits", len(LABELS)), ("embedding", EMBEDDING))
        ],
        [constant for _, part in parts for constant in part],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    helper.set_model_props(model, notes)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def _member(member: nn.Sequential, prefix: str) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    """One member's nodes, from ``crops`` to ``<prefix>_logits`` and ``<prefix>_embedding``, and its weights."""
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []

    def weights(values: NDArray[np.float32], name: str) -> str:
        """Keep weights in half precision; they are widened once, when the file is loaded."""
        constants.append(numpy_helper.from_array(values.astype(np.float16), f"{prefix}_{name}_half"))
        nodes.append(helper.make_node("Cast", [f"{prefix}_{name}_half"], [f"{prefix}_{name}"], to=TensorProto.FLOAT))
        return f"{prefix}_{name}"

    features, embed, classify = member
    name = "crops"
    layers = [layer for layer in features if isinstance(layer, nn.Conv2d | nn.BatchNorm2d)]
    for index, (convolution, norm) in enumerate(zip(layers[::2], layers[1::2], strict=True)):
        kernel, stride = _CHANNELS[index][2:]
        folded = [weights(values, f"{letter}{index}") for letter, values in zip("wb", _folded(convolution, norm), strict=True)]
        shape = {"kernel_shape": [kernel] * 2, "pads": [kernel // 2] * 4, "strides": [stride] * 2}
        nodes.append(helper.make_node("Conv", [name, *folded], [f"{prefix}_c{index}"], **shape))
        name = f"{prefix}_r{index}"
        nodes.append(helper.make_node("Relu", [f"{prefix}_c{index}"], [name]))
    nodes.append(helper.make_node("Flatten", [name], [f"{prefix}_flat"]))
    name = f"{prefix}_flat"
    for layer, output in ((embed, "embedding"), (classify, "logits")):
        matrix = [weights(part.detach().numpy(), f"{letter}_{output}") for letter, part in (("w", layer.weight), ("b", layer.bias))]
        nodes.append(helper.make_node("Gemm", [name, *matrix], [f"{prefix}_{output}"], transB=1))
        name = f"{prefix}_{output}"
    return nodes, constants


def _folded(convolution: nn.Conv2d, norm: nn.BatchNorm2d) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights and biases of a convolution that does the normalisation after it as well."""
    scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
    weight = convolution.weight.detach() * scale[:, None, None, None]
    bias = norm.bias.detach() - norm.running_mean * scale
    return weight.contiguous().numpy(), bias.numpy()
