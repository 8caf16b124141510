"""The trained finder as ONNX: normalisation folded into convolutions, weights in half precision; and such a file as the beginning of a new
course of training."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

from tools.train.finder.network import FinderNetwork


def save(network: FinderNetwork, path: Path, notes: dict[str, str]) -> None:
    """Write the network: input ``pictures`` (n × 3 × h × w), output ``answers``; ``notes`` are the file's metadata."""
    made = io.BytesIO()
    free = {0: "n", 2: "h", 3: "w"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network.eval(),
            (torch.zeros(1, 3, 64, 64),),
            made,
            input_names=["pictures"],
            output_names=["answers"],
            opset_version=13,
            dynamic_axes={"pictures": free, "answers": free},
            dynamo=False,
        )
    model = onnx.load_model_from_string(made.getvalue())
    _halve(model.graph)
    helper.set_model_props(model, notes)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def average(begun: Path, trained: Path, share: float) -> None:
    """Write into a trained file the mean of its weights and of those that it began from, these with the rest of ``share``: what the new
    frames do not show is forgotten less (Wortsman et al., "Robust fine-tuning of zero-shot models", 2022)."""
    model = onnx.load(trained)
    before = {constant.name: numpy_helper.to_array(constant) for constant in onnx.load(begun).graph.initializer}
    for constant in model.graph.initializer:
        values = numpy_helper.to_array(constant)
        if np.issubdtype(values.dtype, np.floating):
            mean = share * values.astype(np.float32) + (1 - share) * before[constant.name].astype(np.float32)
            constant.CopyFrom(numpy_helper.from_array(mean.astype(values.dtype), constant.name))
    trained.write_bytes(model.SerializeToString())


def _halve(graph: onnx.GraphProto) -> None:
    """Keep the weights in half precision; they are widened once, when the file is loaded."""
    casts = []
    for number, constant in enumerate(list(graph.initializer)):
        values = numpy_helper.to_array(constant)
        if values.dtype != np.float32 or values.size < 16:
            continue
        name = constant.name
        graph.initializer.remove(constant)
        graph.initializer.append(numpy_helper.from_array(values.astype(np.float16), f"{name}_half"))
        casts.append(helper.make_node("Cast", [f"{name}_half"], [name], name=f"widen_{number}", to=onnx.TensorProto.FLOAT))
    for node in reversed(casts):
        graph.node.insert(0, node)


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
