"""Writes the trained finder as ONNX: normalisation folded into convolutions, weights in half precision."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

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
