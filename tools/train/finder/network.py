"""The finder's network and its loss: without anchors, one answer for each square of 8 × 8 px (after CenterNet, Zhou et al. 2019).

The outputs of a square are in ``vision.finder.tile_finder``'s order: how likely the middle of a tile of each form is there, where in the
square, the logarithms of its sides, sine and cosine of twice its turn, its lean (radians), and whether something covers the table.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn
from torch.nn import functional

from tools.train.finder.tabletop import Form
from vision.finder.tile_finder import CELL, OUTPUTS, SIZE_PX

_WIDTHS = (12, 24, 48, 80, 112)
FORMS = len(Form)
_DRAWN, _DOUBTFUL, _BOXED, _UPRIGHT = 1, 2, 3, 4
"""States of labels (``frames.LABEL_FIELDS``)."""
_ASKEW = 0.25
"""An upright tile of a photograph may be so much askew, in the sum of how far sine and cosine are off."""
_CORNERS = 4.0


def convolution(inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1, *, bare: bool = False) -> nn.Sequential:
    """A convolution with its normalisation, and a rectifier unless ``bare``."""
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers) if bare else nn.Sequential(*layers, nn.ReLU())


class _Residual(nn.Module):  # type: ignore[misc]  # the checks run without PyTorch
    def __init__(self, width: int, *, apart: bool = False) -> None:
        super().__init__()
        first = [convolution(width, width, groups=width), convolution(width, width, 1, bare=True)]
        whole = [convolution(width, width), convolution(width, width, bare=True)]
        self.body = nn.Sequential(*(first if apart else whole))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return functional.relu(seen + self.body(seen))


class FinderNetwork(nn.Module):  # type: ignore[misc]
    """Takes pictures (n × 3 × h × w, BGR about zero, sides multiples of 32), gives n × OUTPUTS × h/8 × w/8."""

    def __init__(self) -> None:
        super().__init__()
        one, two, eight, sixteen, thirty = _WIDTHS
        self.fine = nn.Sequential(convolution(3, one, stride=2), convolution(one, two, stride=2), convolution(two, eight, stride=2))
        self.fine_more = _Residual(eight, apart=True)
        self.middle = nn.Sequential(convolution(eight, sixteen, stride=2), _Residual(sixteen))
        self.coarse = nn.Sequential(convolution(sixteen, thirty, stride=2), _Residual(thirty), _Residual(thirty))
        self.coarse_up, self.middle_up = convolution(thirty, sixteen, 1, bare=True), convolution(sixteen, eight, 1, bare=True)
        self.middle_more, self.head = _Residual(sixteen, apart=True), nn.Sequential(_Residual(eight, apart=True), _Residual(eight))
        self.answer = nn.Conv2d(eight, OUTPUTS, 1)
        with torch.no_grad():
            self.answer.bias[:FORMS] = -4.0

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        fine = self.fine_more(self.fine(pictures))
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        middle = self.middle_more(
            functional.relu(middle + functional.interpolate(self.coarse_up(coarse), scale_factor=2.0, mode="nearest"))
        )
        fine = functional.relu(fine + functional.interpolate(self.middle_up(middle), scale_factor=2.0, mode="nearest"))
        return self.answer(self.head(fine))


def loss(answers: torch.Tensor, labels: torch.Tensor, covering: torch.Tensor, whole: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
    """What is wrong with answers (n × OUTPUTS × rows × columns) by labels (n × k × LABEL_FIELDS, see ``frames``); and its parts."""
    labels = labels[:, : 1 + max(labels[..., 7].any(dim=0).nonzero(), default=0)]  # the others only take time
    squares = _Squares(labels, answers.shape[2], answers.shape[3])
    photographed = (labels[..., 7] >= _BOXED).any(dim=1)
    count, rest = len(answers), answers[:, FORMS:].flatten(2).float()
    heat = _where(answers[:, :FORMS].flatten(2).float(), squares, labels, whole, photographed)
    cover = functional.binary_cross_entropy_with_logits(rest[:, 7], covering.reshape(count, -1), reduction="none")
    parts = {"heat": heat, **_what(rest, squares, labels), "cover": 2 * (cover * ~photographed[:, None]).mean()}
    return torch.stack(list(parts.values())).sum(), {name: float(part.detach()) for name, part in parts.items()}


class _Squares:
    """The squares of pictures (n × rows × columns) beside the labels: which label is the nearest to each, and how far it is."""

    def __init__(self, labels: torch.Tensor, rows: int, columns: int) -> None:
        grid_y, grid_x = torch.meshgrid(
            torch.arange(rows, device=labels.device), torch.arange(columns, device=labels.device), indexing="ij"
        )
        self.centre = torch.stack((grid_x, grid_y), dim=-1).reshape(-1, 2).float() * CELL + CELL / 2
        x, y, width, height, angle, lean, _, state = labels.unbind(-1)
        known, further = state[..., None] > 0, angle + lean
        off = self.centre[None, None] - torch.stack((x, y), dim=-1)[:, :, None]
        wide, high = (side.clamp(min=1) * torch.cos(lean) for side in (width, height))
        across = (off[..., 0] * torch.cos(angle)[..., None] - off[..., 1] * torch.sin(angle)[..., None]) / wide[..., None]
        along = (off[..., 0] * torch.sin(further)[..., None] + off[..., 1] * torch.cos(further)[..., None]) / high[..., None]
        self.apart = torch.where(known, across**2 + along**2, torch.full_like(across, 1e6))
        """Squared distance of each label's middle from each square's (n × k × squares), in the tile's own sides."""
        self.holds = (off.abs() <= CELL / 2).all(dim=-1) & known
        self.nearest, self._owner = self.apart.min(dim=1)

    def of_nearest(self, values: torch.Tensor) -> torch.Tensor:
        """A field of labels (n × k) of the nearest label of each square (n × squares)."""
        return torch.gather(values, 1, self._owner)


def _where(logits: torch.Tensor, squares: _Squares, labels: torch.Tensor, whole: torch.Tensor, photographed: torch.Tensor) -> torch.Tensor:
    """Focal loss of the middles: the target is a bell around each, 1 in the square that holds it."""
    form, state = labels[..., 6], labels[..., 7]
    bell = torch.where(squares.holds, torch.ones_like(squares.apart), torch.exp(-squares.apart / (2 * 0.13**2)))
    sure = (state == _DRAWN) | (state >= _BOXED)
    target = torch.stack(
        [torch.where((sure & (form == each))[..., None], bell, torch.zeros_like(bell)).amax(dim=1) for each in range(FORMS)], 1
    )
    judged = ~((squares.of_nearest(state) == _DOUBTFUL) & (squares.nearest < 0.45)) & (whole[:, None] | (squares.nearest < 0.4))
    judged = judged[:, None].expand_as(target).clone()
    judged[:, 1:] &= ~photographed[:, None, None]  # backs and standing tiles of photographs have no labels
    share, is_middle = torch.sigmoid(logits), target > 0.99
    positive = -functional.logsigmoid(logits) * (1 - share) ** 2 * is_middle
    negative = -functional.logsigmoid(-logits) * share**2 * (1 - target) ** 4 * ~is_middle
    return ((positive + negative) * judged).sum() / is_middle.sum().clamp(min=1)


def _what(rest: torch.Tensor, squares: _Squares, labels: torch.Tensor) -> dict[str, torch.Tensor]:
    """Place, sides and turn in the squares near a middle; of an upright box of a photograph its place and its sides."""
    x, y, width, height, angle, lean, _, state = (squares.of_nearest(field) for field in labels.unbind(-1))
    near = (squares.nearest < 0.22**2) | squares.holds.any(dim=1)
    drawn, boxed, upright = near & (state == _DRAWN), near & (state >= _BOXED), near & (state == _UPRIGHT)
    log_width, log_height = (torch.log(side.clamp(min=1) / SIZE_PX) for side in (width, height))
    place = (rest[:, 0] - (x - squares.centre[:, 0]) / CELL).abs() + (rest[:, 1] - (y - squares.centre[:, 1]) / CELL).abs()
    size = (rest[:, 2] - log_width).abs() + (rest[:, 3] - log_height).abs()
    way = (rest[:, 4] - torch.sin(2 * angle)).abs() + (rest[:, 5] - torch.cos(2 * angle)).abs()
    turned, upside = 2 * (way + (rest[:, 6] - lean).abs()), 2 * functional.relu(way - _ASKEW)
    half = torch.atan2(rest[:, 4], rest[:, 5] + 1e-6) / 2
    other, wide, high = half + rest[:, 6], torch.exp(rest[:, 2].clamp(-3, 3)), torch.exp(rest[:, 3].clamp(-3, 3))
    box_wide = wide * torch.cos(other).abs() + high * torch.sin(half).abs()
    box_high = wide * torch.sin(other).abs() + high * torch.cos(half).abs()
    lies = torch.sin(angle).abs() > torch.cos(angle).abs()  # an upright tile in a picture that was turned by a quarter
    boxes = (torch.log(box_wide) - torch.where(lies, log_height, log_width)).abs()
    boxes = boxes + (torch.log(box_high) - torch.where(lies, log_width, log_height)).abs()
    cells = (drawn.sum() + boxed.sum()).clamp(min=1)
    shape = (3 * size * drawn + 2 * boxes * boxed).sum() / cells
    corners = _CORNERS * _off_corners(rest, squares, (width, height, angle, lean), (x, y)) * drawn
    turn = (turned * drawn + upside * upright).sum() / cells
    return {"where": (place * (drawn | boxed)).sum() / cells, "shape": shape, "turn": turn, "corners": corners.sum() / cells}


def _off_corners(
    rest: torch.Tensor, squares: _Squares, shape: tuple[torch.Tensor, ...], middle: tuple[torch.Tensor, torch.Tensor]
) -> torch.Tensor:
    """How far the corners that each square answers are from those of its label, on average, in the tile's own sides: the outline is what
    faces are cut out by."""
    width, height, angle, lean = shape
    half = torch.atan2(rest[:, 4], rest[:, 5] + 1e-6) / 2
    half = torch.where(torch.cos(half - angle) < 0, half + torch.pi, half)
    size = torch.sqrt((width * height).clamp(min=1))
    wide, high = (SIZE_PX * torch.exp(rest[:, side].clamp(-3, 3)) for side in (2, 3))
    off_x = rest[:, 0] * CELL - (middle[0] - squares.centre[:, 0])
    off_y = rest[:, 1] * CELL - (middle[1] - squares.centre[:, 1])
    across_x = wide * torch.cos(half + rest[:, 6]) - width * torch.cos(angle + lean)
    across_y = width * torch.sin(angle + lean) - wide * torch.sin(half + rest[:, 6])
    along_x, along_y = high * torch.sin(half) - height * torch.sin(angle), high * torch.cos(half) - height * torch.cos(angle)
    total = torch.zeros_like(size)
    for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        off = (off_x + (right * across_x + down * along_x) / 2) ** 2 + (off_y + (right * across_y + down * along_y) / 2) ** 2
        total = total + torch.sqrt(off + 1e-4)
    return total / (4 * size)


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
    """Give ``network`` the weights of a file that ``save`` wrote; raises ValueError where they do not fit.

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
