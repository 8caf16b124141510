"""Encrypted seeds: they open with their passphrase alone, and any change of the file is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from twinwall.custody.seed_file import COST, Cost, read_seed, write_seed
from twinwall.game.deals import SEED_SIZE, Seed
from twinwall.game.documents import DocumentError

SEED = Seed(bytes(range(SEED_SIZE)))
PASSPHRASE = "correct horse battery staple"
CHEAP = Cost(memory_kib=64, passes=1, lanes=1)
CONTENT = write_seed(SEED, "server", PASSPHRASE, salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)


def test_a_seed_opens_with_its_passphrase() -> None:
    assert read_seed(CONTENT, PASSPHRASE) == ("server", SEED)


def test_the_file_names_its_form_and_holds_no_seed_in_the_clear() -> None:
    written = json.loads(CONTENT)
    assert written["format"] == "twinwall-seed-file-1"
    assert written["commitment"] == "81260ae3c0efb8155a4b06f62ca534698f586b6ade77ad5902a6c6b29c8389ed"
    assert SEED.content.hex()[:32] not in CONTENT.decode()


def test_what_is_written_by_default_costs_what_the_documents_say() -> None:
    assert (COST.memory_kib, COST.passes, COST.lanes) == (256 * 1024, 3, 4)


def test_another_passphrase_does_not_open_it() -> None:
    with pytest.raises(DocumentError, match="'server' does not open: the passphrase is another"):
        read_seed(CONTENT, PASSPHRASE + ".")


def test_a_passphrase_is_the_same_however_the_keyboard_composes_its_letters() -> None:
    content = write_seed(SEED, "server", "vierzehn h\u00fcte", salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)
    assert read_seed(content, "vierzehn hu\u0308te") == ("server", SEED)


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(DocumentError, match="has 11 characters"):
        write_seed(SEED, "server", "elevencharas"[:11], salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda file: file | {"holder": "witness"}, "was changed"),
        (lambda file: file | {"commitment": "00" * 32}, "was changed"),
        (lambda file: file | {"kdf": file["kdf"] | {"passes": 2}}, "was changed"),
        (lambda file: file | {"sealed": "00" * 96}, "was changed"),
        (lambda file: file | {"sealed": "00" * 95}, "sealed"),
        (lambda file: file | {"format": "twinwall-seed-file-2"}, "twinwall-seed-file-1"),
        (lambda file: file | {"cipher": "none"}, "chacha20-poly1305"),
        (lambda file: file | {"hint": "four words"}, "'hint'"),
        (lambda file: file | {"kdf": file["kdf"] | {"name": "scrypt"}}, "argon2id"),
        (lambda file: file | {"kdf": file["kdf"] | {"memory_kib": 1 << 30}}, "memory_kib"),
        (lambda file: {key: file[key] for key in file if key != "salt"}, "'salt'"),
    ],
)
def test_a_file_that_was_changed_is_refused_by_name(change: Callable[[dict[str, object]], dict[str, object]], named: str) -> None:
    with pytest.raises(DocumentError, match=named):
        read_seed(json.dumps(change(json.loads(CONTENT))).encode(), PASSPHRASE)
