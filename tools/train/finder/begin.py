"""A trained finder's file as the beginning of a new course of training."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn

from tools.train.finder.network import FinderNetwork


def begin_from(network: FinderNetwork, path: Path, pictures: torch.Tensor) -> None:
    """Give ``network`` the weights of a file that ``export.save`` wrote; raises ValueError where they do not fit.

    In the file normalisation is part of each convolution. It is parted from it again by what the convolution answers to ``pictures``
    (n × 3 × h × w about zero), so that the network's answers stay the same and training can go on.
    """
    layers = _layers_in_order(network, pictures[:1])
    file = _convolutions(path)
    if len(layers) != len(file) or any(layer.weight.shape != weight.shape for (layer, _), (weight, _) in zip(layers, file, strict=True)):
        raise ValueError(f"{path} is not a file of this network")
    answers = dict[nn.BatchNorm2d, torch.Tensor]()
    hooks = []
    with torch.no_grad():
        for (layer, norm), (weight, bias) in zip(layers, file, strict=True):
            layer.weight.copy_(weight)
            if norm is None:
                layer.bias.copy_(bias)
                continue
            norm.weight.fill_(1.0)
            norm.bias.copy_(bias)
            norm.running_mean.zero_()
            norm.running_var.fill_(1.0 - norm.eps)
            hooks.append(norm.register_forward_pre_hook(lambda norm, seen: answers.__setitem__(norm, seen[0])))
        network.eval()(pictures)
        for hook in hooks:
            hook.remove()
        for norm, seen in answers.items():
            spread, middle = torch.var_mean(seen.float(), dim=(0, 2, 3))
            norm.running_mean.copy_(middle)
            norm.running_var.copy_(spread)
            norm.weight.copy_(torch.sqrt(spread + norm.eps))
            norm.bias.add_(middle)


def _layers_in_order(network: FinderNetwork, picture: torch.Tensor) -> list[tuple[nn.Conv2d, nn.BatchNorm2d | None]]:
    """The convolutions as they answer, each with the normalisation after it."""
    order = list[nn.Module]()
    hooks = [
        part.register_forward_hook(lambda part, _, __: order.append(part))
        for part in network.modules()
        if isinstance(part, nn.Conv2d | nn.BatchNorm2d)
    ]
    with torch.no_grad():
        network.eval()(picture)
    for hook in hooks:
        hook.remove()
    after = [*order[1:], None]
    return [
        (part, follower if isinstance(follower, nn.BatchNorm2d) else None)
        for part, follower in zip(order, after, strict=True)
        if isinstance(part, nn.Conv2d)
    ]


def _convolutions(path: Path) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Weights and biases of a file's convolutions, in order."""
    graph = onnx.load(path).graph
    values = {constant.name: torch.from_numpy(numpy_helper.to_array(constant).astype("float32")) for constant in graph.initializer}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in values:
            values[node.output[0]] = values[node.input[0]]
    return [(values[node.input[1]], values[node.input[2]]) for node in graph.node if node.op_type == "Conv"]
