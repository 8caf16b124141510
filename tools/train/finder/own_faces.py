"""The finder's bank of faces from the project's own designs and from photographs that may be used."""

from pathlib import Path

import numpy as np

from tools.train.faces.sheets import art_sheet
from tools.train.finder.faces import FaceBank, make_bank
from tools.train.photographs import photographs_of
from tools.varied_designs import random_design


def make_own_bank(photos: Path | None, sets: int, seed: int) -> FaceBank:
    """``sets`` random designs, and the photographed sets of a folder; raises ``tools.train.crops.LabelsError``."""
    rng = np.random.default_rng([seed, 5])
    sheets = [art_sheet(random_design(rng)) for _ in range(sets)]
    shown = photographs_of(photos).trained.values()
    return make_bank(
        [[*sheet.faces.values(), *sheet.foreign] for sheet in sheets],
        [[patch.box for patches in kinds.values() for patch in patches] for kinds in shown],
    )
