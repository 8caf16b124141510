"""Signatures: valid for one purpose, event and table only."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from twinwall.game.documents import DocumentError, canonical_json
from twinwall.wire.messages.commands import Resend, open_command, sign_command
from twinwall.wire.messages.signing import Counter, Repeats, SignatureError, Signer, open_signed, read_signer, write_signing_key

SERVER, OTHER = Signer("server", b"\x01" * 32), Signer("server", b"\x02" * 32)
TRUSTED = {"server": SERVER.public}
SIGNED = SERVER.sign("greeting-1", "Autumn", "1", {"words": "good morning"})


def test_what_was_signed_reads_back_without_its_signature() -> None:
    assert open_signed("greeting-1", "Autumn", "1", SIGNED, TRUSTED) == {"by": "server", "words": "good morning"}


@pytest.mark.parametrize(
    ("purpose", "event", "table"), [("greeting-2", "Autumn", "1"), ("greeting-1", "Spring", "1"), ("greeting-1", "Autumn", "2")]
)
def test_a_signature_means_nothing_for_another_purpose_event_or_table(purpose: str, event: str, table: str) -> None:
    with pytest.raises(SignatureError, match="meant for another"):
        open_signed(purpose, event, table, SIGNED, TRUSTED)


A_LETTER = next(place for place in range(SIGNED.index(b'"signature":"') + 13, len(SIGNED)) if chr(SIGNED[place]) in "abcdef")


@given(st.integers(0, len(SIGNED) - 1), st.integers(1, 255))
@example(A_LETTER, 0x20)
def test_no_byte_of_a_signed_document_can_be_changed(place: int, change: int) -> None:
    altered = SIGNED[:place] + bytes([SIGNED[place] ^ change]) + SIGNED[place + 1 :]
    with pytest.raises(DocumentError):
        open_signed("greeting-1", "Autumn", "1", altered, TRUSTED)


def test_another_key_under_the_same_name_is_refused() -> None:
    with pytest.raises(SignatureError, match="not signed by 'server'"):
        open_signed("greeting-1", "Autumn", "1", OTHER.sign("greeting-1", "Autumn", "1", {}), TRUSTED)


def test_who_is_not_trusted_is_named_beside_those_who_are() -> None:
    with pytest.raises(SignatureError, match=r"signed by 'server', who is not trusted here \(trusted: vault\)"):
        open_signed("greeting-1", "Autumn", "1", SIGNED, {"vault": SERVER.public})


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}\n", b'{"by":"server"}\n', b'{"by":"server","signature":7}\n', b'{"by": "server"}\n'])
def test_what_carries_no_signature_is_refused(payload: bytes) -> None:
    with pytest.raises(DocumentError):
        open_signed("greeting-1", "Autumn", "1", payload, TRUSTED)


def test_a_key_file_is_private_reads_back_and_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    write_signing_key(path, b"\x07" * 32)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_signer("1", path) == Signer("1", b"\x07" * 32)
    with pytest.raises(FileExistsError):
        write_signing_key(path, b"\x08" * 32)


def test_a_key_never_shows_in_what_is_printed_of_a_signer() -> None:
    assert "\\x01" not in repr(SERVER)


@pytest.mark.parametrize("content", ["", "07" * 32, "twinwall-signing-key-1 07", f"twinwall-signing-key-1 {'XY' * 32}"])
def test_a_file_that_holds_no_key_is_refused_with_what_to_do(tmp_path: Path, content: str) -> None:
    path = tmp_path / "table.key"
    path.write_text(content)
    with pytest.raises(DocumentError, match=r"table\.key .* twinwall vault key"):
        read_signer("1", path)


def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    write_signing_key(path, b"\x07" * 32)
    path.chmod(0o640)
    with pytest.raises(DocumentError, match="chmod 600"):
        read_signer("1", path)


def test_counters_rise_even_when_the_clock_stands_or_goes_back() -> None:
    times = iter([1000, 1000, 400, 2000])
    counter = Counter(lambda: next(times))
    assert [counter.next() for _ in range(4)] == [1000, 1001, 1002, 2000]


def test_a_kept_counter_rises_though_the_clock_was_set_back_while_the_program_was_down(tmp_path: Path) -> None:
    before = Counter(lambda: 9_000_000, tmp_path / "counter")
    given = [before.next() for _ in range(3)]
    after = Counter(lambda: 5, tmp_path / "counter")
    assert after.next() > max(given)


def test_a_kept_counter_that_is_no_number_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "counter").write_text("many\n")
    with pytest.raises(DocumentError, match="counter must hold one number"):
        Counter(lambda: 5, tmp_path / "counter")


def test_a_counter_counts_once_for_each_signer() -> None:
    repeats = Repeats()
    heard = [("server", 5), ("server", 5), ("server", 4), ("vault", 4), ("server", 6)]
    assert [repeats.is_new(by, counter) for by, counter in heard] == [True, False, False, True, True]


def test_a_signed_command_reads_back_with_its_id_and_counter() -> None:
    resend = Resend("j1", 3, 9)
    payload = sign_command(SERVER, "Autumn", "1", resend, identity="a7", counter=12)
    read = open_command(payload, "Autumn", "1", TRUSTED)
    assert (read.by, read.identity, read.counter, read.command) == ("server", "a7", 12, resend)


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({"type": "reboot", "id": "a", "counter": 1}, "reboot"),
        ({"type": "resend", "journal": "j", "from": 1, "to": 2, "counter": 1}, "id"),
        ({"type": "resend", "journal": "j", "from": 1, "to": 2, "id": "a", "counter": -1}, "counter"),
        ({"type": "resend", "journal": "j", "from": 1, "to": 2, "id": "a", "counter": 1, "now": 1}, "now"),
    ],
)
def test_another_signed_command_is_refused_by_name(document: dict[str, object], named: str) -> None:
    with pytest.raises(DocumentError, match=named):
        open_command(SERVER.sign("twinwall-command-1", "Autumn", "1", document), "Autumn", "1", TRUSTED)


def test_a_command_without_a_signature_is_refused_where_commands_are_signed() -> None:
    with pytest.raises(DocumentError, match="not trusted"):
        open_command(canonical_json({"type": "resend", "journal": "j", "from": 1, "to": 2}), "Autumn", "1", TRUSTED)
