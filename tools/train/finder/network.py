"""The finder's network and its loss: without anchors, one answer for each square of 8 × 8 px (after CenterNet, Zhou et al. 2019).

The outputs of a square are in ``vision.finder.network``'s order: how likely the middle of a tile of each form is there, where in the
square, the logarithms of its sides, sine and cosine of twice its turn, its lean (radians), and whether something covers the table.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from tools.train.finder.tabletop import Form
from vision.finder.network import CELL, OUTPUTS, SIZE_PX

_WIDTHS = (12, 24, 48, 80, 112)
FORMS = len(Form)


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
    count, _, rows, columns = answers.shape
    device = answers.device
    grid_y, grid_x = torch.meshgrid(torch.arange(rows, device=device), torch.arange(columns, device=device), indexing="ij")
    centre = torch.stack((grid_x, grid_y), dim=-1).reshape(-1, 2).float() * CELL + CELL / 2
    x, y, width, height, angle, lean, form, state = labels.unbind(-1)
    known = state > 0
    off = centre[None, None] - torch.stack((x, y), dim=-1)[:, :, None]
    wide, high = (side.clamp(min=1) * torch.cos(lean) for side in (width, height))
    across = (off[..., 0] * torch.cos(angle)[..., None] - off[..., 1] * torch.sin(angle)[..., None]) / wide[..., None]
    along = (off[..., 0] * torch.sin(angle + lean)[..., None] + off[..., 1] * torch.cos(angle + lean)[..., None]) / high[..., None]
    apart = across**2 + along**2
    apart = torch.where(known[..., None], apart, torch.full_like(apart, 1e6))
    nearest, owner = apart.min(dim=1)

    def of_owner(values: torch.Tensor) -> torch.Tensor:
        return torch.gather(values, 1, owner)

    # Where: a bell around each middle, 1 in the square that holds it.
    holds = (off.abs() <= CELL / 2).all(dim=-1) & known[..., None]
    bell = torch.where(holds, torch.ones_like(apart), torch.exp(-apart / (2 * 0.13**2)))
    states, forms = of_owner(state), of_owner(form)
    sure = (state == 1) | (state == 3)
    target = torch.zeros((count, FORMS, rows * columns), device=device)
    for each in range(FORMS):
        chosen = (sure & (form == each))[..., None]
        target[:, each] = torch.where(chosen, bell, torch.zeros_like(bell)).amax(dim=1)
    judged = ~((states == 2) & (nearest < 0.45))
    judged = judged & (whole[:, None] | (nearest < 0.4))
    judged = judged[:, None].expand_as(target).clone()
    photographed = (state == 3).any(dim=1)
    judged[:, 1:] &= ~photographed[:, None, None]  # backs and standing tiles of photographs have no labels
    logits = answers[:, :FORMS].reshape(count, FORMS, -1).float()
    share = torch.sigmoid(logits)
    is_middle = target > 0.99
    positive = -functional.logsigmoid(logits) * (1 - share) ** 2 * is_middle
    negative = -functional.logsigmoid(-logits) * share**2 * (1 - target) ** 4 * ~is_middle
    middles = is_middle.sum().clamp(min=1)
    heat = ((positive + negative) * judged).sum() / middles

    # What: sides, place and turn, in all squares near a middle.
    near = (nearest < 0.22**2) | holds.any(dim=1)
    drawn, boxed = near & (states == 1), near & (states == 3)
    rest = answers[:, FORMS:].reshape(count, OUTPUTS - FORMS, -1).float()
    off_x, off_y = (of_owner(x) - centre[None, :, 0]) / CELL, (of_owner(y) - centre[None, :, 1]) / CELL
    log_width, log_height = (torch.log(of_owner(side).clamp(min=1) / SIZE_PX) for side in (width, height))
    turn = of_owner(angle)
    place = (rest[:, 0] - off_x).abs() + (rest[:, 1] - off_y).abs()
    size = (rest[:, 2] - log_width).abs() + (rest[:, 3] - log_height).abs()
    turned = (rest[:, 4] - torch.sin(2 * turn)).abs() + (rest[:, 5] - torch.cos(2 * turn)).abs()
    leaning = (rest[:, 6] - of_owner(lean)).abs()
    half = torch.atan2(rest[:, 4], rest[:, 5] + 1e-6) / 2
    other = half + rest[:, 6]
    wide, high = torch.exp(rest[:, 2].clamp(-3, 3)), torch.exp(rest[:, 3].clamp(-3, 3))
    box_wide = wide * torch.cos(other).abs() + high * torch.sin(half).abs()
    box_high = wide * torch.sin(other).abs() + high * torch.cos(half).abs()
    boxes = (torch.log(box_wide) - log_width).abs() + (torch.log(box_high) - log_height).abs()
    cells = (drawn.sum() + boxed.sum()).clamp(min=1)
    where = (place * (drawn | boxed)).sum() / cells
    shape = (3 * size * drawn).sum() / cells + (2 * boxes * boxed).sum() / cells
    angle_off = ((turned + 2 * leaning) * drawn).sum() / cells
    cover = functional.binary_cross_entropy_with_logits(rest[:, 7], covering.reshape(count, -1), reduction="none")
    cover = (cover * ~photographed[:, None]).mean()
    total = heat + where + shape + angle_off + 2 * cover
    parts = {"heat": heat, "where": where, "shape": shape, "turn": angle_off, "cover": cover}
    return total, {name: float(part.detach()) for name, part in parts.items()}
