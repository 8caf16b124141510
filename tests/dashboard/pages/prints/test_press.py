"""The press: one file at a time, none twice, and a sentence where nothing can be printed."""

from __future__ import annotations

import threading

import pytest

from dashboard.prints.press import KEPT_BYTES, PrintError, PrintPress, run_writer


def test_a_page_that_was_printed_is_not_printed_again() -> None:
    printed: list[str] = []

    def write(html: str) -> bytes:
        printed.append(html)
        return html.encode()

    press = PrintPress(write)
    assert [press.pdf("a"), press.pdf("b"), press.pdf("a")] == [b"a", b"b", b"a"]
    assert printed == ["a", "b"]


def test_the_oldest_files_are_forgotten_when_they_are_too_large_together() -> None:
    printed: list[str] = []

    def write(html: str) -> bytes:
        printed.append(html)
        return bytes(KEPT_BYTES // 2)

    press = PrintPress(write)
    for page in "abca":
        press.pdf(page)
    assert printed == ["a", "b", "c", "a"]


def test_who_waits_too_long_for_another_print_is_told_to_try_again() -> None:
    printing, done = threading.Event(), threading.Event()

    def write(_html: str) -> bytes:
        printing.set()
        done.wait()
        return b""

    press = PrintPress(write, patience_s=0.0)
    other = threading.Thread(target=press.pdf, args=("long",))
    other.start()
    printing.wait()
    with pytest.raises(PrintError) as refused:
        press.pdf("short")
    assert refused.value.key == "print.busy"
    done.set()
    other.join()
    assert press.pdf("short") == b""


def test_a_print_that_fails_keeps_nobody_else_waiting() -> None:
    def write(html: str) -> bytes:
        if html == "bad":
            raise PrintError("print.failed", "in the test")
        return b"good"

    press = PrintPress(write, patience_s=0.0)
    with pytest.raises(PrintError):
        press.pdf("bad")
    assert press.pdf("good") == b"good"


def test_a_page_that_names_a_picture_elsewhere_fails_and_nothing_is_fetched() -> None:
    with pytest.raises(PrintError) as refused:
        run_writer('<img src="http://127.0.0.1:1/picture.png">')
    assert refused.value.key == "print.failed"
    assert "127.0.0.1" in str(refused.value)
