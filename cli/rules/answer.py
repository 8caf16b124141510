"""``twinwall record answer FOLDER``: the questions of the hands that ``twinwall record --keep FOLDER`` has recorded, and the replay of
each, in the browser of this computer.
"""

import argparse
import os
import secrets
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from cli.record_files import records_file, records_in
from cli.rules.record import question_pictures
from cli.terminal import show_in_browser
from cli.usage import PUBLISHED, UsageError, argument, new_file, port_number, refuse_no_file, takes, tell, until_stopped, write_file
from controller.recorder.hand_answers import AnswerRefusedError
from dashboard.evening_page import create_evening
from dashboard.readiness.local_servers import RECORDED, UnsettledEvent
from tableside.readiness.recorded_hands import DOCUMENT, OBSERVATIONS, GivenAnswers, RecordedHands, keep_document
from twinwall.game.record import HandRecord
from twinwall.web.loopback_server import HttpServer
from twinwall.wire.shapes.readiness import StoredHand, WantedAnswer

_NEW = {"unseen_s": 0.0}
"""The document of a hand before it is decoded."""


@takes(
    argument("folder", "the folder of twinwall record SOURCE --keep FOLDER", type=Path),
    argument("--out", "the hand record, or the list of several; each answer makes it again", type=new_file, metavar="FILE", required=True),
    argument("--port", "where the pages are served, to this computer alone (a free one)", type=port_number, default=0),
    argument("--no-browser", "open no browser: open the printed address yourself", action="store_true"),
)
def answer(arguments: argparse.Namespace) -> None:
    """0 when it is ended by Ctrl-C, 2 where the folder holds no hand."""
    secret, folder = secrets.token_urlsafe(16), arguments.folder.resolve()
    evening = Evening(arguments.folder, arguments.out)
    evening.begin()
    try:
        server = HttpServer(create_evening(evening, secret), arguments.port)
    except OSError as error:
        raise UsageError(f"--port {arguments.port}: {error.strerror}; end the program that has it, or name another port") from None
    stop = until_stopped()
    server.start()
    address = f"{server.url}/{secret}/"
    tell(f"questions and replay: {address}")
    tell("Ctrl-C ends it; the same command goes on")
    if not arguments.no_browser:
        show_in_browser(address, os.environ, folder)
    stop.wait()
    server.stop()
    (folder / "open.html").unlink(missing_ok=True)


class Evening:
    """The hands in a folder, and the file of their records, as ``dashboard.evening_page`` shows them."""

    def __init__(self, folder: Path, out: Path) -> None:
        self.folder, self.out, self.by = folder, out, os.environ.get("USER", "") or "player"
        self._kept = RecordedHands(folder)
        self._answers = GivenAnswers(self._kept, partial(datetime.now, UTC))
        self._writing = threading.Lock()

    def begin(self) -> None:
        """Have each hand as its answers make it, and write the records; raises UsageError, and AnswerRefusedError."""
        hands = self.hands()
        if not hands:
            raise UsageError(f"{self.folder} holds no recorded hand: name the folder of twinwall record SOURCE --keep FOLDER")
        refuse_no_file(self.out)
        if self.out.exists():
            records_in(self.out)
        for hand in hands:
            observations = self.folder / f"{hand.name}{OBSERVATIONS}"
            document = observations.with_suffix(DOCUMENT)
            if not hand.ended or document.stat().st_mtime_ns < observations.stat().st_mtime_ns:
                tell(f"decoding {hand.name} again")
                if not hand.ended:
                    with self._kept.one_writer(hand.name):
                        keep_document(observations, _NEW)
                self._answers.remake(hand.name)
        self._write()
        asked = next((hand.name for hand in self.hands() if hand.doubts), None)
        if asked is not None:  # while somebody looks at the first question
            threading.Thread(target=self._decode, args=(asked,), daemon=True).start()

    def _decode(self, name: str) -> None:
        with suppress(AnswerRefusedError, OSError):
            self._answers.remake(name)

    def hands(self) -> Sequence[StoredHand]:
        """The hands in the order of play."""
        return sorted(self._kept.listed(), key=lambda hand: (len(hand.name), hand.name))

    def document(self, name: str) -> bytes | None:
        """What the decoder made of a hand."""
        return self._kept.content(name, DOCUMENT)

    def _write(self) -> None:
        """Write the records of all hands; raises UsageError."""
        with self._writing:
            documents = filter(None, (self.document(hand.name) for hand in self.hands()))
            records = [HandRecord.from_json(bytes(RECORDED.decode(each).record)) for each in documents]
            write_file(self.out, records_file(records), PUBLISHED, force=True)

    def pictures(self, name: str, question: UnsettledEvent) -> Sequence[str]:
        """The names of a question's pictures, from before and after; empty where there are none."""
        names = question_pictures(name.rpartition("-")[2], question.x_mm, question.y_mm, question.before_ms)
        return names if all((self.folder / each).exists() for each in names) else ()

    def answer(self, name: str, wanted: WantedAnswer) -> str:
        """Take an answer about a hand, and write the records; why it is refused, empty where it is taken."""
        try:
            self._answers.answer(name, wanted)
            self._write()
        except (AnswerRefusedError, UsageError) as refused:
            return str(refused)
        except OSError as error:
            return f"{self.folder} cannot be written: {error.strerror}"
        return ""
