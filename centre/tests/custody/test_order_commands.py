"""The commands withdraw and annul: two persons, each with his own key, and a sentence for everything else."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from centre.commands.field_orders import director, sign_order
from centre.custody.field_orders import TOGETHER, AnnulDealOrder, WithdrawVenueOrder
from cli.usage import UsageError
from config.centre import CentreSection
from tests.support.wire.streams import START
from twinwall.game.documents import DocumentError, write_time
from twinwall.wire.messages.signing import Signer, write_signing_key

ANN, BEN = (Signer(name, name.encode().ljust(32, b"-")) for name in ("Ann", "Ben"))
SECTION = CentreSection("Autumn", ("west: Kyoto", "east: Sendai"), directors=tuple(f"{each.by} {each.public.hex()}" for each in (ANN, BEN)))
NO_REASON = "-"


class KeptOrders:
    """Orders in memory."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def signed(self) -> list[bytes]:
        return self.kept

    def add(self, signed: bytes, at: datetime) -> None:
        self.kept.append(signed)


def test_the_second_person_signs_the_firsts_order_with_its_reason() -> None:
    rows = KeptOrders()
    first = sign_order(rows, SECTION, ANN, AnnulDealOrder(4, "a leak", "Kyoto"), START)
    assert first.startswith("Ann has signed that deal 4 is annulled at venue 'Kyoto' (a leak). Nothing follows before another person")
    second = sign_order(rows, SECTION, BEN, AnnulDealOrder(4, NO_REASON, "Kyoto"), START)
    assert second.startswith("deal 4 is annulled at venue 'Kyoto' (a leak), by order of Ann and Ben. Rankings are computed anew")
    assert len(rows.kept) == 2


def test_one_person_twice_an_unknown_venue_and_a_missing_reason_are_refused_and_nothing_is_kept() -> None:
    rows = KeptOrders()
    with pytest.raises(UsageError, match="nobody has ordered within the last hour that venue 'Kyoto' is withdrawn: say with --reason why"):
        sign_order(rows, SECTION, ANN, WithdrawVenueOrder("Kyoto", NO_REASON), START)
    with pytest.raises(UsageError, match="there is no venue 'Osaka'"):
        sign_order(rows, SECTION, ANN, WithdrawVenueOrder("Osaka", "fire"), START)
    with pytest.raises(DocumentError, match="an order over the field cannot be read"):
        sign_order(rows, SECTION, ANN, WithdrawVenueOrder("Kyoto", "two\nlines"), START)
    assert not rows.kept
    sign_order(rows, SECTION, ANN, WithdrawVenueOrder("Kyoto", "fire"), START)
    with pytest.raises(UsageError, match="Ann has signed already that venue 'Kyoto' is withdrawn: another person has to sign it too"):
        sign_order(rows, SECTION, ANN, WithdrawVenueOrder("Kyoto", NO_REASON), START)
    assert len(rows.kept) == 1


def test_who_comes_more_than_an_hour_later_is_asked_for_a_reason_and_orders_anew() -> None:
    rows, later = KeptOrders(), START + TOGETHER + timedelta(seconds=1)
    sign_order(rows, SECTION, ANN, WithdrawVenueOrder("Kyoto", "fire"), START)
    with pytest.raises(UsageError, match="nobody has ordered within the last hour that venue 'Kyoto' is withdrawn"):
        sign_order(rows, SECTION, BEN, WithdrawVenueOrder("Kyoto", NO_REASON), later)
    assert sign_order(rows, SECTION, BEN, WithdrawVenueOrder("Kyoto", "flood"), later).startswith("Ben has signed that venue 'Kyoto'")


def test_who_comes_more_than_an_hour_later_by_his_clock_is_told_what_the_other_clock_showed() -> None:
    rows, slow = KeptOrders(), START - timedelta(hours=3)
    sign_order(rows, SECTION, ANN, WithdrawVenueOrder("Kyoto", "fire"), START)
    told = rf"Ann has ordered it \(fire\) at {write_time(START)} by the clock there, and here it is {write_time(slow)}: compare the clocks"
    with pytest.raises(UsageError, match=told):
        sign_order(rows, SECTION, BEN, WithdrawVenueOrder("Kyoto", NO_REASON), slow)
    with pytest.raises(UsageError) as first:
        sign_order(rows, SECTION, BEN, AnnulDealOrder(4, NO_REASON, "Kyoto"), slow)
    assert "clock" not in str(first.value)


def test_only_a_director_with_his_own_key_signs(tmp_path: Path) -> None:
    for signer in (ANN, BEN):
        write_signing_key(tmp_path / signer.by, signer.secret)
    assert director(SECTION, "Ann", tmp_path / "Ann") == director(SECTION, "Ａｎｎ\u200b", tmp_path / "Ann") == ANN
    with pytest.raises(UsageError, match="is not the key that \\[centre\\] directors has for Ann: give his own"):
        director(SECTION, "Ann", tmp_path / "Ben")
    with pytest.raises(UsageError, match="Eve is not in \\[centre\\] directors of the settings"):
        director(SECTION, "Eve", tmp_path / "Ann")
    with pytest.raises(UsageError, match="fewer than two persons"):
        director(CentreSection("Autumn", ("west: Kyoto",)), "Ann", tmp_path / "Ann")
    with pytest.raises(ValueError, match="names a person or a key twice"):
        CentreSection("Autumn", ("west: Kyoto",), directors=(f"Ann {ANN.public.hex()}", f"Ben {ANN.public.hex()}"))
