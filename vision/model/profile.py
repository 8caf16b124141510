"""Profile of one enrolled tile set, in one JSON file: the set's name and backs, the day, the model's digest, the examples as embeddings,
the limits of a read, and a digest over all of it, but no pictures. ``vision.model.judge`` compares crops with it, ``vision.enrol.enrol``
makes it."""

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinwall.game.documents import DocumentError, parse_object, pretty_json
from twinwall.game.tiles import NotationError, Tile, parse_tile
from twinwall.given_files import limited_bytes
from twinwall.values import frozen, frozen_identity
from vision.model.similarity import Embeddings

FORMAT = "twinwall-profile-1"
_KEYS = frozenset({"format", "set", "back", "made", "model", "numbers", "limits", "kinds", "digest"})


@frozen
class ProfileLimits:
    """What a read by a profile needs: ``likeness`` to the kind's nearest example (a cosine), and ``margin``, the lead over the next kind as
    a share of the two kinds' distance (0 halfway between them, 1 on an example). ``spread`` turns likenesses into probabilities."""

    likeness: float
    margin: float
    spread: float


@frozen_identity
class EnrolledKind:
    """A kind's examples (n × 2 × numbers), and the least share with which the general model agrees."""

    examples: Embeddings
    agreement: float


@frozen_identity
class Profile:
    """An enrolled set; ``back`` is the feeder's number of its backs, None if unknown."""

    name: str
    back: int | None
    made: date
    model: str
    limits: ProfileLimits
    kinds: Mapping[Tile, EnrolledKind]

    def lacking(self, kinds: Iterable[Tile]) -> tuple[Tile, ...]:
        return tuple(sorted(set(kinds) - set(self.kinds)))

    def to_bytes(self) -> bytes:
        """Return the file's content; the same profile gives the same bytes."""
        content = self._content()
        return pretty_json({**content, "digest": _digest(content)})

    @property
    def digest(self) -> str:
        """SHA-256 over the rest of the file."""
        return _digest(self._content())

    def _content(self) -> dict[str, object]:
        limits = self.limits
        return {
            "format": FORMAT,
            "set": self.name,
            "back": self.back,
            "made": self.made.isoformat(),
            "model": self.model,
            "numbers": next(iter(self.kinds.values())).examples.shape[-1],
            "limits": {"likeness": limits.likeness, "margin": limits.margin, "spread": limits.spread},
            "kinds": {
                tile.text: {"agreement": self.kinds[tile].agreement, "examples": [_encoded(one) for one in self.kinds[tile].examples]}
                for tile in sorted(self.kinds)
            },
        }


def load_profile(path: Path, model: str, *, name: str | None = None, back: int | None = None) -> Profile:
    """Read a profile made for the model with this digest, of the set with this name and back, if given; raises DocumentError."""
    try:
        encoded = limited_bytes(path)
    except OSError as error:
        raise DocumentError(f"the profile {path} cannot be read: {error.strerror}") from None
    profile = parse_profile(encoded, str(path))
    if profile.model != model:
        raise DocumentError(
            f"the profile {path} was made with another model than the one in use: enrol the set again with twinwall tiles enrol"
        )
    if name is not None and profile.name != name:
        raise DocumentError(f"the profile {path} is of the set {profile.name!r}, not of {name!r}: name that set's own profile")
    if None not in (back, profile.back) and profile.back != back:
        raise DocumentError(f"the profile {path} is of the set with backs {profile.back}, not {back}: name that set's own profile")
    return profile


def parse_profile(encoded: bytes, source: str) -> Profile:
    """Read a profile's bytes; raises DocumentError, which names ``source``, for another format or version, and for a damaged file."""
    try:
        document = parse_object(encoded, source)
    except DocumentError:
        raise DocumentError(f"the profile {source} is damaged or no profile at all: {_AGAIN}") from None
    version = document.get("format")
    if version != FORMAT:
        raise DocumentError(
            f"{source} has the format {version!r}, this version reads {FORMAT!r}: enrol the set again with twinwall tiles enrol"
        )
    content = {key: value for key, value in document.items() if key != "digest"}
    if document.get("digest") != _digest(content) or pretty_json(document) != encoded:
        raise DocumentError(f"the profile {source} is damaged: its content does not have its digest; {_AGAIN}")
    if unknown := set(document) ^ _KEYS:
        raise DocumentError(f"the profile {source} has other keys than {FORMAT!r}: {', '.join(sorted(unknown))}")
    try:
        return _parsed(content)
    except (KeyError, TypeError, ValueError, NotationError, binascii.Error) as error:
        raise DocumentError(f"the profile {source} does not have the form of {FORMAT!r} ({error}): {_AGAIN}") from None


_AGAIN = "copy it again from where it was made, or enrol the set again"


def _parsed(content: dict[str, object]) -> Profile:
    limits, kinds, numbers, back = content["limits"], content["kinds"], content["numbers"], content["back"]
    if not isinstance(limits, dict) or not isinstance(kinds, dict) or not isinstance(numbers, int) or not kinds:
        raise TypeError("limits, kinds or numbers are missing")
    if not isinstance(back, int | None):
        raise TypeError("back must be a number or null")
    return Profile(
        name=str(content["set"]),
        back=back,
        made=date.fromisoformat(str(content["made"])),
        model=str(content["model"]),
        limits=ProfileLimits(**{name: _number(limits[name]) for name in ("likeness", "margin", "spread")}),
        kinds={
            parse_tile(text): EnrolledKind(np.stack([_decoded(one, numbers) for one in kind["examples"]]), _number(kind["agreement"]))
            for text, kind in kinds.items()
        },
    )


def _number(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def _encoded(example: NDArray[np.float32]) -> str:
    return base64.b64encode(example.astype("<f2").tobytes()).decode()


def _decoded(text: str, numbers: int) -> Embeddings:
    values = np.frombuffer(base64.b64decode(text, validate=True), "<f2").astype(np.float32)
    if not np.isfinite(values).all():
        raise ValueError("an example holds what is no number")
    return values.reshape(2, numbers)


def _digest(content: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
