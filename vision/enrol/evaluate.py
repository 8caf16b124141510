"""Evaluation: measures the reader on folders of labelled crops (``crop_folders``), each upright and upside down.

Things that are no tile must be refused. The result's form is fixed: ``top1`` is the share of right best kinds before acceptance,
``coverage`` the accepted share, over tiles and both turns.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from twinwall.game.tiles import Tile
from twinwall.values import frozen
from vision.enrol.crop_folders import LabelledCrop
from vision.model.bare_crop import misshapen, unless_blank
from vision.model.classifier import Classifier
from vision.model.crop_view import fit_crop
from vision.model.judge import GeneralJudge, Judge
from vision.reading import Read


@frozen
class EvaluatedView:
    """One crop at one turn: its kind, the likeliest kind before acceptance, and the accepted one."""

    tile: Tile | None
    turned: bool
    first: Tile
    accepted: Tile | None


def look_both_ways(classifier: Classifier, crops: Iterable[LabelledCrop], judge: Judge | None = None) -> list[EvaluatedView]:
    """Read every crop as it is and turned by 180°, each as one frame, by the model alone or by a profile's judge."""
    looks = []
    by = judge or GeneralJudge(classifier.limits)
    for crop in crops:
        for turned in (False, True):
            image = np.ascontiguousarray(crop.image[::-1, ::-1]) if turned else crop.image
            fitted = fit_crop(image)
            view = classifier.look(fitted[None])[0]
            answer = misshapen(image) or by.decide(view)
            if not by.knows_the_set:
                answer = unless_blank(fitted, answer)
            accepted = answer.tile if isinstance(answer, Read) else None
            looks.append(EvaluatedView(crop.tile, turned, by.rank(view)[0].tile, accepted))
    return looks


@frozen
class Evaluation:
    """The figures of an evaluation; shares 0 to 1, None for a share of nothing."""

    n: int
    top1: float | None
    upright_top1: float | None
    turned_top1: float | None
    coverage: float | None
    misread_of_accepted: float | None
    false_accepts: int
    false_accepts_of: int
    confusions: tuple[tuple[Tile, Tile, int], ...]

    def to_json(self) -> dict[str, object]:
        return {
            "n": self.n,
            "top1": self.top1,
            "upright": {"top1": self.upright_top1},
            "turned": {"top1": self.turned_top1},
            "coverage": self.coverage,
            "misread_of_accepted": self.misread_of_accepted,
            "false_accepts": {"n": self.false_accepts, "of": self.false_accepts_of},
            "confusions": [[true.text, read.text, count] for true, read, count in self.confusions],
        }


def summarise(looks: Iterable[EvaluatedView]) -> Evaluation:
    """Sum up all looks; ``n`` counts crops of tiles, and confusions are those before acceptance."""
    all_looks = list(looks)
    tiles = [look for look in all_looks if look.tile is not None]
    foreign = [look for look in all_looks if look.tile is None]
    accepted = [look for look in tiles if look.accepted is not None]
    confusions = Counter((look.tile, look.first) for look in tiles if look.tile is not None and look.first is not look.tile)
    return Evaluation(
        n=sum(not look.turned for look in tiles),
        top1=_share(look.first is look.tile for look in tiles),
        upright_top1=_share(look.first is look.tile for look in tiles if not look.turned),
        turned_top1=_share(look.first is look.tile for look in tiles if look.turned),
        coverage=_share(look.accepted is not None for look in tiles),
        misread_of_accepted=_share(look.accepted is not look.tile for look in accepted),
        false_accepts=sum(look.accepted is not None for look in foreign),
        false_accepts_of=len(foreign),
        confusions=tuple((true, read, count) for (true, read), count in sorted(confusions.items(), key=lambda item: (-item[1], item[0]))),
    )


def _share(cases: Iterable[bool]) -> float | None:
    counted = list(cases)
    return sum(counted) / len(counted) if counted else None
