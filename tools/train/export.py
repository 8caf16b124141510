"""ONNX export: writes trained networks as one file of convolutions, rectifiers and matrices.

Batch normalisation is folded into the convolutions, and weights are kept in half precision. The nodes are made here
and not by an exporter of another project, so that the file's operators are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from vision.model.classes import LABELS
from vision.model.crop import CROP_H, CROP_W


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
