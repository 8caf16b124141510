"""Classifier: runs the network on crops, both ways up, and returns calibrated probabilities; the outputs for the turned view are converted
to the other one before both are joined. ``vision.model.crop_view`` decides what is a read."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinwall.game.documents import DocumentError, parse_list
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.game.typed_json import read_document
from vision.loaded_network import loaded_network
from vision.model.crop_view import CROP_H, CROP_W, FOREIGN, HALF_TURN, LABELS, TURNED, CropView, Limits, to_input

MODEL_PATH = Path(__file__).parent / "weights" / "tiles.onnx"
"""The committed weights."""
SECOND_MODEL_PATH = Path(__file__).parent / "weights" / "edges.onnx"
"""The second model, which sees only edges, no colour and no light; it looks again at what the first has read."""

_KINDS = len(ALL_TILES)
_TURNED_COLUMNS = np.array([TURNED[tile] for tile in ALL_TILES])
_HAS_TURNED = _TURNED_COLUMNS >= _KINDS
_AT_ONCE = 16
"""The network looks at this many views at once: more need more memory and are no faster."""


class Classifier:
    """The network in one thread, with the temperature and limits of its file."""

    def __init__(self, model: Path = MODEL_PATH, *, least_probability: float | None = None, only: int | None = None) -> None:
        """Load a model file; ``least_probability`` replaces the fitted one. Raises DocumentError for one of no use. ``only`` selects one
        network of the file, to measure it on designs it was not trained on."""
        self._speaking = slice(None) if only is None else slice(only, only + 1)
        try:
            self.digest, self._session = loaded_network(model)  # embeddings of one model say nothing to another
            notes = self._session.get_modelmeta().custom_metadata_map
            labels = tuple(parse_list(notes["labels"], "labels"))
            self.temperature = float(notes["temperature"])
            fitted = read_document(notes["limits"], Limits, "limits")
            self.limits = fitted if least_probability is None else replace(fitted, probability=least_probability)
        except (KeyError, ValueError, TypeError) as error:
            raise DocumentError(f"{model} is not a tile model of this version ({error}): train one with python -m tools.train") from None
        except Exception as error:  # onnxruntime's own exceptions share no public parent
            raise DocumentError(f"{model} cannot be loaded: {error}") from error
        if labels != LABELS:
            raise DocumentError(f"{model} was trained for other outputs than this version reads: train it again with python -m tools.train")

    def look(self, crops: NDArray[np.uint8]) -> list[CropView]:
        """Look at crops (n × CROP_H × CROP_W × 3 uint8 BGR), each both ways up."""
        count = len(crops)
        if count == 0:
            return []
        if crops.shape[1:] != (CROP_H, CROP_W, 3):
            raise ValueError(f"crops must have the shape n × {CROP_H} × {CROP_W} × 3, not {crops.shape}")
        upright = to_input(crops)
        both = np.concatenate((upright, upright[:, :, ::-1, ::-1]))
        parts = np.array_split(both, range(_AT_ONCE, len(both), _AT_ONCE))
        answers = [self._session.run(["members", "embedding"], {"crops": part}) for part in parts]
        members, embeddings = map(np.concatenate, zip(*answers, strict=True))
        apart = members.reshape(2, count, -1, len(LABELS))[:, :, self._speaking]
        return [_joined(apart[0, index], apart[1, index], self.temperature, embeddings[index::count]) for index in range(count)]


def joined_logits(upright: NDArray[np.float32], turned: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the mean of two views' outputs (… × outputs), the turned one converted to the upright one's order."""
    return (upright.astype(np.float64) + turned[..., HALF_TURN].astype(np.float64)) / 2


def softmax(logits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return probabilities along the last axis; a higher temperature is less sure."""
    scaled = logits / temperature
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def kind_probabilities(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of the 34 kinds (… × 34) from those of the outputs (… × outputs): the sums of both turns."""
    upright = outputs[..., :_KINDS]
    return np.asarray(upright + outputs[..., _TURNED_COLUMNS] * _HAS_TURNED)


def _joined(upright: NDArray[np.float32], turned: NDArray[np.float32], temperature: float, embeddings: NDArray[np.float32]) -> CropView:
    """Join each member's outputs (members × outputs) for the crop as it is and turned."""
    own = joined_logits(upright, turned)
    outputs = softmax(own.mean(axis=0), temperature)
    kinds = kind_probabilities(outputs)
    best = Tile(int(kinds.argmax()))
    lies_turned = bool(_HAS_TURNED[best] and outputs[TURNED[best]] > outputs[best])
    views = np.stack((upright.mean(axis=0), turned.mean(axis=0))).astype(np.float64)
    alone = kind_probabilities(softmax(np.concatenate((views, own)), temperature)).argmax(axis=-1)
    first, second, *members = (Tile(int(kind)) for kind in alone)
    return CropView(
        kinds=kinds,
        foreign={foreign: float(outputs[column]) for foreign, column in FOREIGN.items()},
        turned=lies_turned,
        first=first,
        second=second,
        embeddings=embeddings,
        members=tuple(members),
    )
