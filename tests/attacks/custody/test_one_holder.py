"""Attack: whoever rules the vault's machine makes every deal, although several people hold seeds.

He has all that one holder's vault has: its memory, its files with the passphrase, and every message that the broker carries. Without
the other holder's seed that is half of every key.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.adapters.journal_keys import JournalKeyFiles
from tests.support.custody.hall import DUE, EVENT, ONE, PUBLIC, TWO, Hall, HeldEvent
from twinwall.game.deals import DealError, Seed, deal_check, make_deal
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.signing import vault_sealing_key
from twinwall.wire.messages.vaults.journal_key import open_stored_piece

JOURNAL_PIECES = (b"\x0c" * 32, b"\x0d" * 32)


def in_session(folder: Path, event: HeldEvent) -> Hall:
    """Both tables have finished deal 1, play deal 2, and have deal 3."""
    hall = Hall(folder, event=event).with_tables()
    hall.play_all()
    hall.open_all()
    assert sorted(hall.slips) == [1]
    return hall


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = in_session(tmp_path, TWO)
    yield hall
    hall.close()


def reached(value: object, seen: dict[int, object]) -> Iterator[bytes]:
    """All bytes and texts that can be reached from an object: the memory of a process. ``seen`` keeps what was visited alive, so that
    no other object gets its id."""
    if id(value) in seen or isinstance(value, type):
        return
    seen[id(value)] = value
    match value:
        case bytes():
            yield value
        case str():
            yield value.encode()
        case dict():
            for pair in value.items():
                yield from reached(pair, seen)
        case list() | tuple() | set() | frozenset():
            for each in value:
                yield from reached(each, seen)
        case _:
            names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
            yield from reached([getattr(value, name) for name in names if hasattr(value, name)], seen)
            yield from reached(getattr(value, "__dict__", {}), seen)


def all_that_one_machine_has(hall: Hall, holder: str) -> bytes:
    """What the vault of a holder has in memory and on its disk, and every message that a broker on that machine carries."""
    memory = b"\n".join(
        reached([hall.vaults[holder], hall.event.shares[holder], hall.event.signers[holder], hall.disks[holder].stored], {})
    )
    return memory + b"\n".join(payload for _, payload in hall.sent)


def keys_in(found: bytes, event: HeldEvent, holder: str) -> list[int]:
    """The deals of which a holder's key lies open there, raw or in hex."""
    keys = {n: event.shares[holder].share(n).key for n in DUE}
    return [n for n, key in keys.items() if bytes(key) in found or key.hex().encode() in found]


@pytest.mark.parametrize(("ruled", "other"), [("server", "witness"), ("witness", "server")])
def test_one_holders_machine_has_the_other_holders_key_of_no_deal_that_is_not_released(hall: Hall, ruled: str, other: str) -> None:
    found = all_that_one_machine_has(hall, ruled)
    assert TWO.seeds[ruled].content in found, "the search reaches what is there: his own seed"
    assert TWO.seeds[other].content not in found
    assert keys_in(found, TWO, other) == [1], "deal 1 is released"


@pytest.mark.parametrize("ruled", TWO.holders)
def test_with_one_holders_seed_no_deal_is_made(ruled: str) -> None:
    """Neither by the program nor with a key of his own choice in the place of the other's."""
    own = {ruled: TWO.seeds[ruled]}
    with pytest.raises(DealError, match="is missing"):
        make_deal(TWO.plan, own, 2, PUBLIC, TWO.root)
    for guess in range(50):
        chosen = own | {holder: Seed(bytes([guess]) * 80) for holder in TWO.holders if holder != ruled}
        assert make_deal(TWO.plan, chosen, 2, PUBLIC, TWO.root).digest.hex() != TWO.digests[2]


def test_with_one_holders_key_a_deal_that_was_guessed_is_not_recognised() -> None:
    """The tables publish the check value before the release; late in a hand most tiles can be guessed."""
    deal = make_deal(TWO.plan, TWO.seeds, 2, PUBLIC, TWO.root)
    own = TWO.shares["server"].share(2).key
    for other in (b"", own, *(bytes([guess]) * 80 for guess in range(50))):
        assert deal_check(TWO.root, 2, deal.digest, (own, other)) != deal.check


def keep_pieces(folder: Path, event: HeldEvent) -> JournalKeyFiles:
    """A table's journal key as it lies beside the journal: a piece for each vault."""
    for name in ("memory", "disk"):
        (folder / name).mkdir()
    files = JournalKeyFiles(folder / "memory", folder / "disk", tuple(signer.by for signer in event.signers.values()))
    files.hold(JOURNAL_PIECES[: len(event.holders)])
    for signer in event.signers.values():
        files.keep_for(signer.by, vault_sealing_key(signer).public, EVENT, "1")
    return files


def test_one_holders_vault_does_not_open_the_journal_of_a_stolen_disk(tmp_path: Path) -> None:
    files = keep_pieces(tmp_path, TWO)
    key, ruled = files.held(), vault_sealing_key(TWO.signers["server"])
    assert key is not None
    shutil.rmtree(files.memory)
    assert open_stored_piece(files.kept("vault"), ruled, EVENT, "1") != key
    with pytest.raises(DocumentError, match="was not sealed to this vault"):
        open_stored_piece(files.kept("vault-witness"), ruled, EVENT, "1")


def test_control_with_the_seeds_of_both_holders_every_deal_is_made_and_recognised() -> None:
    made = {n: make_deal(TWO.plan, TWO.seeds, n, PUBLIC, TWO.root) for n in DUE}
    assert {n: deal.digest.hex() for n, deal in made.items()} == TWO.digests
    keys = tuple(TWO.shares[holder].share(2).key for holder in TWO.holders)
    assert deal_check(TWO.root, 2, made[2].digest, keys) == made[2].check


def test_control_where_one_holder_has_all_seeds_his_machine_has_every_key(tmp_path: Path) -> None:
    hall = in_session(tmp_path, ONE)
    found = all_that_one_machine_has(hall, "server")
    seed = ONE.seeds["server"]
    assert seed.content in found
    assert {n: make_deal(ONE.plan, {"server": seed}, n, PUBLIC, ONE.root).digest.hex() for n in DUE} == ONE.digests
    hall.close()


def test_control_where_one_holder_has_all_seeds_his_vault_opens_the_journal_of_a_stolen_disk(tmp_path: Path) -> None:
    files = keep_pieces(tmp_path, ONE)
    assert open_stored_piece(files.kept("vault"), vault_sealing_key(ONE.signers["server"]), EVENT, "1") == files.held()
