"""Training of one network: its sheets, frames and network, in a process and thread of its own.

Two threads in one network mostly wait for each other where other work shares the processor. With one thread a network
nothing is lost, and its weights do not depend on the number of threads.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from tools.train.faces.lettering import Fonts, find_fonts
from tools.train.faces.published import Published, lent, reworked, svg_set
from tools.train.faces.sheets import Sheet, art_sheet, drawn_sheet, symbol_sheets
from tools.train.frames import Material
from tools.train.network import TrainingSchedule, fit, make_network
from tools.train.photographs import known_sets, photographs_of
from tools.train.pool import render_pool
from tools.varied_designs import TRAINING_DESIGNS, random_design
from twinwall.values import frozen

HELD_FONTS = ("bsmi00lp", "notosanscjk-medium", "tw-kai")
"""Fonts that only the calibration sees."""


@frozen
class Amounts:
    """How much to draw and to train for one network."""

    drawn_sets: int
    mixed_sets: int
    reworked_sets: int
    frames: int
    epochs: int


@frozen
class Sources:
    """Where faces come from besides code: folders of fonts, of photographs, and of SVG faces."""

    fonts: Path | None
    photos: Path | None
    art: Path | None


@frozen
class Order:
    """One network to train: its name in messages, its seed, the photographed set left out by number (None: none), and from what.

    One that sees ``edges_only`` does without the published sets: it is there to err where the others do not.
    """

    name: str
    seed: int
    left_out: int | None
    embedding: int
    edges_only: bool
    amounts: Amounts
    sources: Sources


def train(order: Order) -> nn.Sequential:
    """The trained network; raises OSError, ValueError or ``tools.train.crops.LabelsError`` for material that cannot be used."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{order.name}: {text}, after {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)

    published = [svg_set(order.sources.art)] if order.sources.art and not order.edges_only else []
    sheets = _sheets(fonts_in(order.sources.fonts), published, order.amounts, order.seed)
    photographs = photographs_of(order.sources.photos)
    known = known_sets(photographs, order.left_out)
    material = Material(sheets, known, photographs.halves, photographs.grounds)
    pool = render_pool(material, order.amounts.frames, order.seed, 1)
    say(f"{len(pool.labels)} frames of {len(sheets)} drawn and {len(known)} photographed sets")
    torch.manual_seed(order.seed)
    network = make_network(order.embedding, edges_only=order.edges_only)
    fit(network, pool, TrainingSchedule(order.amounts.epochs), seed=order.seed, say=say)
    return network


def fonts_in(folder: Path | None) -> Fonts:
    """The fonts of a folder; none without one."""
    return find_fonts(folder) if folder else Fonts((), (), ())


def split(fonts: Fonts) -> tuple[Fonts, Fonts]:
    """Fonts to train on and those to hold back."""
    held = tuple(hand for hand in fonts.characters if hand.path.name.lower().startswith(HELD_FONTS))
    kept = tuple(hand for hand in fonts.characters if hand not in held)
    return Fonts(kept, fonts.latin, fonts.faces), Fonts(held or kept, fonts.latin, ())


def _sheets(fonts: Fonts, published: list[Published], amounts: Amounts, seed: int) -> list[Sheet]:
    """The drawn sets that one network is trained on."""
    rng = np.random.default_rng([seed, 1])
    kept, _ = split(fonts)
    sheets = [art_sheet(design) for design in TRAINING_DESIGNS for _ in range(2)]
    sheets += [art_sheet(random_design(rng)) for _ in range(amounts.mixed_sets)]
    if fonts.characters:
        sheets += [lent(drawn_sheet(kept, rng, f"drawn {index}"), published, rng) for index in range(amounts.drawn_sets)]
        sheets += [*symbol_sheets(kept, rng), *symbol_sheets(kept, rng)]
    return sheets + [reworked(one, rng) for one in published for _ in range(amounts.reworked_sets)]
