"""``twinwall tiles read`` and ``twinwall tiles evaluate``: the table's reader on pictures from files. ``read`` looks at single pictures,
``evaluate`` measures on folders of labelled crops and answers in the fixed form of the contracts. Both use the committed model, with an
enrolled set's profile where one is named, and the same decision as at a gate."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cli.usage import JSON, PRIVATE, UsageError, answer, argument, folder_named, one_of, takes, tell, write_file
from vision.cameras.file_camera import file_bytes
from vision.cameras.port import CameraFault, CameraLostError, decode_picture, encode_picture
from vision.enrol.evaluate import Evaluation, look_both_ways, read_folders, remarks, summarise
from vision.gate.drawing import draw_answer, whole
from vision.gate.gate_reader import GateReader
from vision.gate.rectify import find_tile
from vision.model.classifier import Classifier
from vision.model.judge import Judge, ProfileJudge
from vision.model.profile import load_profile
from vision.reading import Read, ReadRefusal

_READ_HELP = """Read the tile on each picture. A crop tight to one tile (higher than wide, little else on it) is read as it is;
a picture in landscape form is taken for a gate camera's frame, in which the tile is found first.
--crop and --frame say which it is."""
_EVALUATE_HELP = """Measure the reader on FOLDER/<kind>/*.jpg, crops tight to a tile, each as it is and turned by 180°.
A folder whose name is no kind (flower, back, half, empty…) holds what is not a tile and must be refused."""

_READER_ARGUMENTS = (
    argument("--profile", "read by the profile of an enrolled set (twinwall tiles enrol)", type=Path, metavar="PROFILE"),
    argument("--model", "another model file than the committed one", type=Path, metavar="MODEL"),
    JSON,
)


@takes(
    argument("images", "JPEG, PNG, WebP or BMP file; an EXIF orientation is followed", nargs="+", type=Path, metavar="IMAGE"),
    one_of(
        argument("--crop", "every picture is a crop tight to a tile", dest="form", action="store_const", const="crop"),
        argument("--frame", "every picture is a gate camera's frame", dest="form", action="store_const", const="frame"),
    ),
    argument("--picture", "write the picture with what was read drawn on it: a PNG file, or a folder for several", metavar="OUT"),
    *_READER_ARGUMENTS,
    about=_READ_HELP,
)
def read(arguments: Namespace) -> bool:
    """0 when every picture was read, 1 when any was refused, 2 when one is no picture."""
    reader = GateReader(*_reading_model(arguments))
    drawn = _targets(arguments.images, arguments.picture)
    answers: list[tuple[Path, Read | ReadRefusal]] = []
    for path, target in zip(arguments.images, drawn, strict=True):
        image = _picture(path)
        is_crop = arguments.form == "crop" or (arguments.form is None and image.shape[0] >= image.shape[1])
        seen = reader.read_crop(image) if is_crop else reader.read_picture(image)
        answers.append((path, seen))
        if target is not None:
            _draw(image, seen, is_crop, target)
    rows = [{"image": str(path), **_as_json(seen)} for path, seen in answers]
    answer(rows, "\n".join(f"{path}: {_in_words(seen)}" for path, seen in answers), as_json=arguments.json)
    return all(isinstance(seen, Read) for _, seen in answers)


def _picture(path: Path) -> NDArray[np.uint8]:
    try:
        return decode_picture(file_bytes(path), str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except CameraLostError as lost:
        if lost.fault is CameraFault.SIZE:
            raise UsageError(str(lost)) from None
        forms = "read takes whole JPEG, PNG, WebP and BMP files of at least 2 × 2 px"
        raise UsageError(f"{path} is no picture, or is cut short: {forms}") from None


def _targets(images: Sequence[Path], named: str | None) -> list[Path | None]:
    """Where each picture's drawing goes: the file that was named, or files of a folder."""
    if named is None:
        return [None] * len(images)
    out = Path(named)
    if len(images) == 1 and folder_named(named, several=False) is None:
        return [out]
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: name a folder with --picture when several pictures are read")
    out.mkdir(parents=True, exist_ok=True)
    names = [f"{number:03d}-{path.stem}.png" if len(images) > 1 else f"{path.stem}.png" for number, path in enumerate(images, 1)]
    return [out / name for name in names]


def _draw(image: NDArray[np.uint8], answer: Read | ReadRefusal, is_crop: bool, target: Path) -> None:
    corners = whole(image) if is_crop else find_tile(image)
    drawn = draw_answer(image, None if isinstance(corners, ReadRefusal) else corners, answer)
    write_file(target, encode_picture(drawn, ".png"), PRIVATE, force=True)


@takes(argument("folder", type=Path), *_READER_ARGUMENTS, about=_EVALUATE_HELP)
def evaluate(arguments: Namespace) -> None:
    """0 when the folder was measured (whatever came out), 2 when it cannot be."""
    classifier, judge = _reading_model(arguments)
    outcome = summarise(look_both_ways(classifier, read_folders(arguments.folder), judge))
    for remark in remarks(arguments.folder):
        tell(f"note: {remark}")
    answer(outcome.to_json(), _table(outcome), as_json=arguments.json)


def _reading_model(arguments: Namespace) -> tuple[Classifier, Judge | None]:
    """The model, and the judge of the profile where one was named."""
    classifier = Classifier(arguments.model) if arguments.model else Classifier()
    judge = ProfileJudge(load_profile(arguments.profile, classifier.digest)) if arguments.profile else None
    return classifier, judge


def _as_json(answer: Read | ReadRefusal) -> dict[str, object]:
    if isinstance(answer, Read):
        return {"tile": answer.tile.text, "probability": answer.probability, "turned": answer.turned}
    candidates = [{"tile": one.tile.text, "probability": one.probability} for one in answer.candidates]
    return {"tile": None, "reason": str(answer.reason), "detail": answer.detail, "candidates": candidates}


def _in_words(answer: Read | ReadRefusal) -> str:
    if isinstance(answer, Read):
        return f"{answer.tile.text} ({answer.probability:.1%}{', upside down' if answer.turned else ''})"
    return f"not read, {answer.reason}: {answer.detail}"


def _table(outcome: Evaluation) -> str:
    def share(value: float | None) -> str:
        return "–" if value is None else f"{value:.2%}"

    lines = [
        f"{outcome.n} crops of tiles, each both ways up",
        f"right before acceptance  {share(outcome.top1)}  (upright {share(outcome.upright_top1)}, turned {share(outcome.turned_top1)})",
        f"accepted                 {share(outcome.coverage)}",
        f"misread of accepted      {share(outcome.misread_of_accepted)}",
        f"accepted though no tile  {outcome.false_accepts} of {outcome.false_accepts_of}",
    ]
    lines += [f"  {true.text} taken for {read.text}: {count}" for true, read, count in outcome.confusions]
    return "\n".join(lines)
