"""``twinwall tiles enrol --table``: a set's pictures from the table's own gate, named by the reader and, where it doubts, by a person."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path

from cli.files import PRIVATE, write_file
from cli.tiles.cameras import open_gate_camera
from cli.tiles.collect import Collector
from cli.tiles.settle_tiles import settle
from config import load
from controller.settings import TableSettings
from twinwall.game.tiles import COPIES, Tile
from vision.cameras.port import use_one_thread
from vision.enrol.enrol import EnrolmentPicture, SetName
from vision.enrol.examples import Doubt
from vision.enrol.gather import Gathered, Unnamed, name_them
from vision.enrol.propose import Proposal
from vision.gate.drawing import encode_png
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier

_LAST_PAGE_S = 1.0
"""Seconds for which the page is still served after the last answer, for its closing message."""


def from_table(arguments: argparse.Namespace, kinds: Iterable[Tile], classifier: Classifier, today: date) -> tuple[SetName, Gathered]:
    """Feed the set that ``--set`` names once; raises UsageError when feeder or camera do not let it come to its end."""
    settings = load(arguments.table, TableSettings)
    of_set = settings.sets.second if arguments.set == "second" else settings.sets.first
    wanted = tuple(kinds)
    use_one_thread()
    with closing(open_gate_camera(settings.camera)) as camera:
        collector = Collector(camera, GateReader(classifier), lambda count: _progress(count, COPIES * len(wanted)))
        collector.collect(settings.feeder.port, settings.feeder.baud_rate, of_set.back, COPIES * len(wanted))
    gathered = _named(collector.pictures, wanted, classifier, _on_page if arguments.page else _in_terminal)
    if arguments.keep is not None:
        _keep(arguments.keep, gathered.samples)
    return SetName(arguments.name or of_set.name, of_set.back, today), gathered


Settle = Callable[[Sequence[tuple[Unnamed, Proposal]]], list[Tile | None]]
"""Asks a person about the pictures that the reader doubts; None leaves a picture out."""


def _in_terminal(questions: Sequence[tuple[Unnamed, Proposal]]) -> list[Tile | None]:
    return settle(questions, input, print)


def _on_page(questions: Sequence[tuple[Unnamed, Proposal]]) -> list[Tile | None]:
    from dashboard.enrolment_page import TileQuestion, TileQuestions, create_enrolment  # noqa: PLC0415  # Flask, where a page is wanted
    from twinwall.web.http_server import HttpServer  # noqa: PLC0415

    asked = TileQuestions(
        [
            TileQuestion(picture.name, encode_png(picture.image), tuple(candidate.tile for candidate in proposal.candidates))
            for picture, proposal in questions
        ]
    )
    if not questions:
        return []
    secret = secrets.token_urlsafe(12)
    server = HttpServer(create_enrolment(asked, secret), 0)
    server.start()
    print(f"{len(questions)} tiles are doubtful: open {server.url}/{secret}/ in a browser of this machine", file=sys.stderr)
    answers = asked.wait()
    time.sleep(_LAST_PAGE_S)
    server.stop()
    return answers


def _named(pictures: Sequence[Unnamed], kinds: Sequence[Tile], classifier: Classifier, ask: Settle) -> Gathered:
    """Samples of what the reader is sure of and of what a person names; the rest is left out."""
    named = list(zip(pictures, name_them(pictures, kinds, classifier), strict=True))
    open_questions = [(picture, proposal) for picture, proposal in named if not proposal.sure]
    answers = dict(zip((picture.name for picture, _ in open_questions), ask(open_questions), strict=True))
    samples, left_out = [], []
    for picture, proposal in named:
        tile = proposal.tile if proposal.sure else answers[picture.name]
        if tile is None:
            left_out.append(Doubt(picture.name, None, proposal.candidates[0].tile, "its kind was not named"))
        else:
            samples.append(EnrolmentPicture(picture.name, tile, picture.image))
    return Gathered(tuple(samples), tuple(left_out))


def _keep(folder: Path, samples: Sequence[EnrolmentPicture]) -> None:
    for sample in samples:
        if sample.tile is not None:
            target = folder / sample.tile.text
            target.mkdir(parents=True, exist_ok=True)
            write_file(target / f"{sample.name.replace(' ', '-')}.png", encode_png(sample.image), PRIVATE, force=True)


def _progress(count: int, wanted: int) -> None:
    print(f"\r{count} of {wanted} tiles", end="\n" if count == wanted else "", file=sys.stderr, flush=True)
