"""Network and training loop.

The network is a plain chain of small convolutions that takes a fraction of a millisecond on one thread. Several
networks are trained on different sets and answer together, so that their errors differ. One of them may be blind to
colour and light: fixed filters leave it only edges. ``save`` writes them as one file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional

from tools.train.pool import Pool
from twinwall.values import frozen
from vision.model.crop_view import CROP_H, CROP_W, LABELS, to_input

EMBEDDING = 128
"""How many numbers all members' embeddings have together."""
_CHANNELS = ((24, 5, 2), (32, 3, 1), (64, 3, 2), (64, 3, 1), (96, 3, 2), (96, 3, 1), (32, 1, 1))
"""Each convolution's outputs, kernel and stride."""
_SHARPNESS = 12.0
"""How steeply likeness of embeddings turns into probability while training."""
_FLAT = 32 * (CROP_H // 8) * (CROP_W // 8)


@frozen
class TrainingSchedule:
    """How long and how hard to train."""

    epochs: int
    batch: int = 256
    top_rate: float = 4e-3
    weight_decay: float = 0.02
    smoothing: float = 0.03
    likeness: float = 0.3


def make_network(embedding: int, *, edges_only: bool = False) -> nn.Sequential:
    """One member with fresh weights: features, then its ``embedding`` numbers, then the outputs of ``LABELS``."""
    layers: list[nn.Module] = [_edge_filters()] if edges_only else []
    inputs = 4 if edges_only else 3
    for outputs, kernel, stride in _CHANNELS:
        layers += [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
        inputs = outputs
    features = nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.1))
    return nn.Sequential(features, nn.Linear(_FLAT, embedding), nn.Linear(embedding, len(LABELS)))


def _edge_filters() -> nn.Conv2d:
    """Fixed filters (Sobel, four directions) over the mean of the colours: no colour passes, nor any even light."""
    across = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], np.float32) / 4
    slant = np.array([[-2, -1, 0], [-1, 0, 1], [0, 1, 2]], np.float32) / 4
    kernels = np.stack([across, across.T, slant, slant[::-1]])[:, None].repeat(3, axis=1) / 3
    filters = nn.Conv2d(3, 4, 3, 1, 1, bias=False)
    filters.weight = nn.Parameter(torch.from_numpy(np.ascontiguousarray(kernels)), requires_grad=False)
    return filters


class _Likeness(nn.Module):  # type: ignore[misc]  # the checks run without PyTorch
    """Trains an embedding to be compared by angle: each output has a direction, and its frames must point there from every set."""

    def __init__(self, embedding: int) -> None:
        super().__init__()
        self.directions = nn.Parameter(torch.randn(len(LABELS), embedding))

    def forward(self, embedded: torch.Tensor) -> torch.Tensor:
        return _SHARPNESS * functional.linear(functional.normalize(embedded), functional.normalize(self.directions))


def fit(network: nn.Sequential, pool: Pool, schedule: TrainingSchedule, *, seed: int, say: Callable[[str], None]) -> None:
    """Train in place on a pool of frames; ``say`` hears of each epoch."""
    frames, labels = pool.frames, pool.labels
    generator = torch.Generator().manual_seed(seed)
    pictures, answers = torch.from_numpy(frames), torch.from_numpy(labels)
    features, embed, classify = network
    likeness = _Likeness(embed.out_features)
    parameters = [one for one in (*network.parameters(), *likeness.parameters()) if one.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=schedule.top_rate / 10, weight_decay=schedule.weight_decay)
    steps = schedule.epochs * (len(frames) // schedule.batch)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, schedule.top_rate, total_steps=steps, pct_start=0.15)
    loss_of = nn.CrossEntropyLoss(label_smoothing=schedule.smoothing)
    network.to(memory_format=torch.channels_last)
    network.train()
    halves = bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # a third faster where the processor can; the figures stay within tolerance
    for epoch in range(schedule.epochs):
        order = torch.randperm(len(frames), generator=generator)
        total, right = 0.0, 0
        for start in range(0, len(frames) - schedule.batch + 1, schedule.batch):
            chosen = order[start : start + schedule.batch]
            batch = _varied(pictures[chosen], generator)
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                seen = features(batch)
            embedded = embed(seen.float())
            logits = classify(embedded)
            loss = loss_of(logits, answers[chosen]) + schedule.likeness * loss_of(likeness(embedded), answers[chosen])
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
    """Each member's logits (members × n × outputs) for frames."""
    with torch.no_grad():
        return np.stack(
            [
                np.concatenate(
                    [member.eval()(torch.from_numpy(to_input(frames[start : start + 512]))).numpy() for start in range(0, len(frames), 512)]
                )
                for member in members
            ]
        )


def save(members: Sequence[nn.Sequential], path: Path, notes: dict[str, str]) -> None:
    """Write the members as one model with ``notes`` as the file's metadata.

    Its input is ``crops``; its outputs are ``members``, each member's logits side by side, ``logits``, their mean,
    and ``embedding``, theirs side by side.
    """
    parts = [_member(member, f"m{index}") for index, member in enumerate(members)]
    nodes = [node for part, _ in parts for node in part]
    own = [f"m{index}_logits" for index in range(len(members))]
    nodes.append(helper.make_node("Mean", own, ["logits"]))
    nodes.append(helper.make_node("Concat", own, ["members"], axis=1))
    nodes.append(helper.make_node("Concat", [f"m{index}_embedding" for index in range(len(members))], ["embedding"], axis=1))
    sizes = {
        "logits": len(LABELS),
        "members": len(LABELS) * len(members),
        "embedding": sum(int(member[1].out_features) for member in members),
    }
    graph = helper.make_graph(
        nodes,
        "twinwall-tiles",
        [helper.make_tensor_value_info("crops", TensorProto.FLOAT, ["n", 3, CROP_H, CROP_W])],
        [helper.make_tensor_value_info(one, TensorProto.FLOAT, ["n", size]) for one, size in sizes.items()],
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

    def convolve(layer: nn.Conv2d, entering: str, folded: Sequence[NDArray[np.float32]], name: str) -> str:
        kernel, stride = layer.kernel_size[0], layer.stride[0]
        shape = {"kernel_shape": [kernel] * 2, "pads": [kernel // 2] * 4, "strides": [stride] * 2}
        inputs = [entering, *(weights(values, f"{letter}_{name}") for letter, values in zip("wb", folded, strict=False))]
        nodes.append(helper.make_node("Conv", inputs, [f"{prefix}_{name}"], **shape))
        return f"{prefix}_{name}"

    features, embed, classify = member
    name = "crops"
    layers = list(features)
    for index, layer in enumerate(layers):
        if not isinstance(layer, nn.Conv2d):
            continue
        norm = layers[index + 1]
        if not isinstance(norm, nn.BatchNorm2d):
            name = convolve(layer, name, [layer.weight.detach().contiguous().numpy()], f"c{index}")
            continue
        name = convolve(layer, name, _folded(layer, norm), f"c{index}")
        nodes.append(helper.make_node("Relu", [name], [f"{prefix}_r{index}"]))
        name = f"{prefix}_r{index}"
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
