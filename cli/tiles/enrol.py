"""``twinwall tiles enrol``: makes the profile of one tile set, from pictures in folders or from the table's own gate.

Folders named as kinds label their pictures. Pictures without labels, and those of a gate, are named by the model, by
likeness and by the count of four; at a gate a person is asked about the doubtful ones.
"""

import json
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from cli.tiles.enrol_table import from_table
from cli.usage import JSON, PUBLISHED, UsageError, argument, new_file, one_of, refuse_no_file, takes, tell, write_file
from twinwall.game.tiles import ALL_TILES, NotationError, Tile, TileRow, parse_tiles
from vision.enrol.crop_folders import remarks
from vision.enrol.enrol import Enrolment, Gathered, SetName, enrol, enrol_again, gather, has_kinds
from vision.enrol.examples import Doubt
from vision.model.classifier import Classifier
from vision.model.profile import load_profile

_SEED = 1
"""Seed of the enrolment: the same pictures give the same profile."""
_MOST_BACK = 255

_HELP = """Make the profile of a tile set from pictures of its tiles: FOLDER/<kind>/*.jpg, crops tight to a tile, one or more of
each kind; a folder whose name is no kind holds what is no tile of the set (flowers, backs). Pictures in FOLDER itself, crops or
gate frames, are named by the reader, at most four of a kind. An example that is doubtful is left out and named on standard error.
Exit 1 when a kind has no example left; no profile is written then."""


def _kinds(text: str) -> TileRow:
    try:
        tiles = parse_tiles(text)
    except NotationError as error:
        raise ArgumentTypeError(str(error)) from None
    if not tiles:
        raise ArgumentTypeError('no kinds: write them as in "123456789m EE"')
    return tuple(sorted(set(tiles)))


def _back(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_BACK:
        raise ArgumentTypeError(f"backs have numbers from 0 to {_MOST_BACK}, as in the table's settings, not {text!r}")
    return int(text)


@takes(
    one_of(
        argument("--from", "pictures of the set's tiles", dest="folder", type=Path, metavar="FOLDER"),
        argument("--table", "feed the set once past this table's gate camera", type=Path, metavar="SETTINGS"),
        required=True,
    ),
    argument("--set", "with --table: which of its two sets (default first)", choices=("first", "second")),
    argument("--keep", "with --table: keep the pictures, to enrol from again", type=Path, metavar="FOLDER"),
    argument("--page", "with --table: settle doubtful tiles in a browser, not in the terminal", action="store_true"),
    argument("--out", "the profile to write, or to replace", type=new_file, required=True, metavar="PROFILE"),
    argument("--kinds", 'the kinds that the set has, as in "123456789m"', type=_kinds, default=ALL_TILES, metavar="TILES"),
    argument("--only", "enrol these kinds again; PROFILE keeps its others and its limits", type=_kinds, metavar="TILES"),
    argument("--name", "what people call the set, as in the table's settings; the file's name if left out"),
    argument("--back", "the number by which the feeder tells the set's backs", type=_back, metavar="N"),
    argument("--model", "another model file than the committed one", type=Path, metavar="MODEL"),
    JSON,
    about=_HELP,
)
def run(arguments: Namespace) -> bool:
    """0 when a profile was written, 1 when a kind has no example left."""
    if arguments.folder is not None and (arguments.page or arguments.keep or arguments.set):
        raise UsageError("--set, --keep and --page go with --table: there are no questions about the pictures of --from")
    refuse_no_file(arguments.out)
    rng = np.random.default_rng(_SEED)
    try:
        classifier = Classifier(arguments.model) if arguments.model else Classifier()
        before = None
        if arguments.only:
            before = load_profile(arguments.out, classifier.digest, name=arguments.name, back=arguments.back)
        called, (samples, left_out) = _gathered(arguments, classifier)
        if before is not None:
            enrolment = enrol_again(classifier, before, samples, arguments.only, rng)
        else:
            enrolment = enrol(classifier, samples, arguments.kinds, called, rng)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return finish(arguments.out, enrolment, (*left_out, *enrolment.left_out), as_json=arguments.json)


def _gathered(arguments: Namespace, classifier: Classifier) -> tuple[SetName, Gathered]:
    kinds, today = arguments.only or arguments.kinds, datetime.now(UTC).date()
    if arguments.folder is not None:
        for remark in remarks(arguments.folder) if has_kinds(arguments.folder) else ():
            tell(f"note: {remark}")
        return SetName(arguments.name or arguments.out.stem, arguments.back, today), gather(arguments.folder, kinds, classifier)

    return from_table(arguments, kinds, classifier, today)


def finish(out: Path, enrolment: Enrolment, left_out: Sequence[Doubt], *, as_json: bool) -> bool:
    """Name what was left out, write the profile where there is one, and say what it holds."""
    for doubt in left_out:
        tell(f"left out: {_in_words(doubt)}")
    profile = enrolment.profile
    if profile is not None:
        write_file(out, profile.to_bytes(), PUBLISHED, force=True)
    else:
        missing = " ".join(tile.text for tile in enrolment.missing)
        tell(f"no example is left of {missing}: add pictures, or say with --kinds which kinds the set has")
    if as_json:
        print(json.dumps(_as_json(out, enrolment, left_out), ensure_ascii=False))
    elif profile is not None:
        examples = sum(len(kind.examples) for kind in profile.kinds.values())
        print(f"{out}: the set {profile.name!r}, {len(profile.kinds)} kinds, {examples} examples")
    return profile is not None


def _in_words(doubt: Doubt) -> str:
    said = f" (said to be {doubt.tile.text})" if doubt.tile is not None else ""
    likely = f"; likely {doubt.likely.text}" if doubt.likely is not None else ""
    return f"{doubt.name}{said}: {doubt.why}{likely}"


def _as_json(out: Path, enrolment: Enrolment, left_out: Sequence[Doubt]) -> dict[str, object]:
    profile = enrolment.profile
    written: dict[str, object] = {"profile": None}
    if profile is not None:
        limits = profile.limits
        written = {
            "profile": str(out),
            "set": profile.name,
            "back": profile.back,
            "digest": profile.digest,
            "model": profile.model,
            "examples": {tile.text: len(profile.kinds[tile].examples) for tile in sorted(profile.kinds)},
            "limits": {"likeness": limits.likeness, "margin": limits.margin},
        }
    return {
        **written,
        "left_out": [
            {"name": doubt.name, "said": _text(doubt.tile), "likely": _text(doubt.likely), "why": doubt.why} for doubt in left_out
        ],
        "missing": [tile.text for tile in enrolment.missing],
    }


def _text(tile: Tile | None) -> str | None:
    return None if tile is None else tile.text
