"""A journal's lines and heads: their length tells nothing, and a head is on disk before anything may leave the table."""

from pathlib import Path

from controller.ledger.journal_heads import HeadKeys, JournalHeads
from controller.ledger.journal_lines import BLOCK, JournalChain
from twinwall.wire.line_cipher import LINE_KEY_SIZE, LineCipher
from twinwall.wire.messages.signing import Signer

KEYS = HeadKeys("Autumn", "1", Signer("1", b"\x01" * 32), Signer("1", b"\x02" * 32))


def test_a_suit_and_an_honour_give_encrypted_lines_of_one_length() -> None:
    def line(content: bytes) -> bytes:
        return JournalChain(LineCipher(bytes(LINE_KEY_SIZE), bytes)).write(content)

    tiles = (b'{"tile":"5m"}', b'{"tile":"E"}', b'{"tile":"E","others":["5m","6m"]}', b"{" + b" " * (BLOCK - 2) + b"}")
    assert len({len(line(content)) for content in tiles}) == 1
    assert len(line(b"{" + b" " * BLOCK + b"}")) > len(line(tiles[0]))


def test_a_head_is_on_disk_before_it_lies_in_memory(tmp_path: Path) -> None:
    path, latest = tmp_path / "heads", tmp_path / "latest"
    synced: list[tuple[bytes, bool]] = []
    heads = JournalHeads(path, latest, KEYS, fsync=lambda _: synced.append((path.read_bytes(), latest.exists())))
    heads.sign(["ab" * 32])
    assert synced == [(latest.read_bytes(), False)]
    assert KEYS.read(latest.read_bytes()).seq == 1
