"""Orders over a field: nothing follows before two persons have signed the same."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centre.commands.field_orders import director, sign_order
from centre.custody.field_orders import (
    TOGETHER,
    AnnulDealOrder,
    AnyFieldOrder,
    FieldOrders,
    PersonsOrder,
    WithdrawVenueOrder,
    field_order_problem,
    read_field_order,
    read_field_orders,
    write_field_order,
)
from centre.custody.field_rules import AnnulDeal, WithdrawVenue
from cli.usage import UsageError
from config.centre import CentreSection
from tests.support.tiers import examples
from tests.support.wire.streams import START
from twinwall.game.deals import Start, StartedPlan, plan_sessions
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError, write_time
from twinwall.wire.messages.signing import SignatureError, Signer, write_signing_key

EVENT, VENUES, DEALS = "Autumn", ("Kyoto", "Sendai"), 6
LATE, TOO_LATE = START + TOGETHER, START + TOGETHER + timedelta(seconds=1)
PLAN = plan_sessions(EVENT, "mcr-duplicate", sessions=1, hands=DEALS, holders=["server"], public="noon")
STARTED, REHEARSED = (StartedPlan(PLAN, Start(PLAN.digest, Sha256(bytes(32)), value)) for value in ("drawn", "rehearsed"))
SIGNERS = {name: Signer(name, name.encode().ljust(32, b"-")) for name in ("Ann", "Ben", "Cleo")}
PERSONS = {name: signer.public for name, signer in SIGNERS.items()}
LEAK = AnnulDealOrder(4, "a sheet was photographed", "Kyoto")


def taken(*signed: tuple[str, AnyFieldOrder]) -> tuple[FieldOrders, list[str]]:
    """The orders after these, signed at one moment, and what was said of those that were refused."""
    return taken_at(*((person, order, START) for person, order in signed))


def taken_at(*signed: tuple[str, AnyFieldOrder, datetime]) -> tuple[FieldOrders, list[str]]:
    """The same of orders that were signed at any times."""
    orders, said = FieldOrders(), list[str]()
    for person, order, at in signed:
        problem = field_order_problem(orders, PersonsOrder(person, order, at), VENUES, DEALS)
        if problem is None:
            orders = orders.add(PersonsOrder(person, order, at))
        else:
            said.append(problem)
    return orders, said


def test_an_order_counts_when_a_second_person_has_signed_the_same() -> None:
    alone, _ = taken(("Ann", LEAK))
    assert (alone.in_effect, alone.annulled, alone.waiting(LEAK, START)) == ((), {}, PersonsOrder("Ann", LEAK, START))
    both, said = taken(("Ann", LEAK), ("Ben", LEAK))
    assert (both.annulled, said) == ({(4, "Kyoto"): "a sheet was photographed"}, [])
    assert both.commands == (AnnulDeal(4, "Kyoto", ("Ann", "Ben")),)
    left, _ = taken(("Ann", WithdrawVenueOrder("Sendai", "fire alarm")), ("Cleo", WithdrawVenueOrder("Sendai", "fire alarm")))
    assert (left.withdrawn, left.commands) == ({"Sendai": "fire alarm"}, (WithdrawVenue("Sendai", ("Ann", "Cleo")),))


def test_a_person_may_give_another_reason_while_nobody_else_has_signed() -> None:
    other = AnnulDealOrder(4, "two sheets were photographed", "Kyoto")
    orders, said = taken(("Ann", LEAK), ("Ann", other), ("Ben", LEAK), ("Ben", other))
    assert (orders.in_effect, len(said)) == ((other,), 1)


def test_an_order_that_one_person_signed_is_void_after_an_hour_and_another_reason_is_taken_then() -> None:
    assert taken_at(("Ann", LEAK, START), ("Ben", LEAK, LATE))[0].in_effect == (LEAK,)
    late, said = taken_at(("Ann", LEAK, START), ("Ben", LEAK, TOO_LATE))
    assert (late.in_effect, said, late.persons(LEAK)) == ((), [], ("Ben",))
    assert late.waiting(LEAK, TOO_LATE) == PersonsOrder("Ben", LEAK, TOO_LATE)
    other = AnnulDealOrder(4, "heard of it", "Kyoto")
    assert len(taken_at(("Ann", LEAK, START), ("Ben", other, LATE))[1]) == 1
    changed, said = taken_at(("Ann", LEAK, START), ("Ben", other, TOO_LATE), ("Ann", other, TOO_LATE))
    assert (changed.in_effect, changed.persons(other), said) == ((other,), ("Ben", "Ann"), [])


@pytest.mark.parametrize(("replaced", "completed"), [(120, 30), (10, -55)], ids=["a clock that is late", "a clock that is set back"])
def test_an_order_that_its_signer_has_replaced_is_completed_by_nobody_whatever_his_clock_shows(replaced: int, completed: int) -> None:
    other, later, at = AnnulDealOrder(4, "heard of it", "Kyoto"), *(START + timedelta(minutes=each) for each in (replaced, completed))
    orders, _ = taken_at(("Ann", LEAK, START), ("Ann", other, later), ("Ben", LEAK, at))
    assert (orders.in_effect, orders.persons(LEAK), orders.waiting(LEAK, START)) == ((), ("Ben",), PersonsOrder("Ben", LEAK, at))
    assert orders.add(PersonsOrder("Ben", other, later)).in_effect == (other,)


def test_a_copy_of_a_signature_that_was_replaced_does_not_bring_it_back() -> None:
    other, later = AnnulDealOrder(4, "heard of it", "Kyoto"), START + timedelta(minutes=5)
    orders, said = taken_at(("Ann", LEAK, START), ("Ann", other, later), ("Ann", LEAK, START), ("Ben", LEAK, later))
    assert (orders.in_effect, len(said)) == ((), 2)
    assert taken_at(("Ann", LEAK, START), ("Ann", other, later), ("Ann", LEAK, later), ("Ben", LEAK, later))[0].in_effect == (LEAK,)


def test_an_order_that_was_signed_with_a_slow_clock_hides_none_of_this_hour() -> None:
    slow, now = AnnulDealOrder(4, "heard of it", "Kyoto"), START + timedelta(minutes=5)
    orders, _ = taken_at(("Ann", LEAK, START), ("Ben", slow, START - timedelta(hours=3)))
    assert orders.waiting(slow, now) == PersonsOrder("Ann", LEAK, START)
    assert len(taken_at(("Ann", LEAK, START), ("Ben", slow, START - timedelta(hours=3)), ("Cleo", slow, now))[1]) == 1


def test_an_order_in_effect_stays_and_a_clock_that_is_a_day_ahead_makes_none() -> None:
    both, _ = taken_at(("Ann", LEAK, START), ("Ben", LEAK, LATE))
    again = field_order_problem(both, PersonsOrder("Cleo", LEAK, START + timedelta(days=30)), VENUES, DEALS)
    assert again is not None and "already: Ann and Ben have ordered it" in again
    assert taken_at(("Ann", LEAK, START + timedelta(days=1)), ("Ben", LEAK, START))[0].in_effect == ()


def test_the_same_person_may_sign_anew_when_the_first_signature_is_void() -> None:
    orders, said = taken_at(("Ann", LEAK, START), ("Ann", LEAK, TOO_LATE), ("Ben", LEAK, TOO_LATE + TOGETHER))
    assert (orders.in_effect, orders.persons(LEAK), said) == ((LEAK,), ("Ann", "Ben"), [])


@pytest.mark.parametrize(
    ("signed", "said"),
    [
        (
            [("Ann", LEAK), ("Ann", LEAK)],
            "Ann has signed already that deal 4 is annulled at venue 'Kyoto': another person has to sign it too",
        ),
        ([("Ann", LEAK), ("ANN", LEAK)], "ANN has signed already that deal 4 is annulled"),
        ([("Ann", LEAK), ("Ben", AnnulDealOrder(4, "heard of it", "Kyoto"))], "sign the same one, without --reason"),
        ([("Ann", LEAK), ("Ben", LEAK), ("Cleo", LEAK)], "is annulled at venue 'Kyoto' already: Ann and Ben have ordered it"),
        (
            [("Ann", WithdrawVenueOrder("Osaka", "flood"))],
            "there is no venue 'Osaka': write its name as [centre] venues of the settings does",
        ),
        ([("Ann", AnnulDealOrder(7, "leak"))], "there is no deal 7: the plan has deals 1 to 6"),
    ],
)
def test_an_order_that_is_not_taken_is_a_sentence_with_what_to_do(signed: list[tuple[str, AnyFieldOrder]], said: str) -> None:
    assert said in taken(*signed)[1][-1]


def test_an_order_counts_under_its_persons_key_and_for_its_event_alone() -> None:
    payload = write_field_order(SIGNERS["Ann"], EVENT, LEAK, STARTED, START)
    assert read_field_order(payload, EVENT, PERSONS, STARTED) == PersonsOrder("Ann", LEAK, START)
    with pytest.raises(SignatureError, match="an order over the field is not signed by 'Ann'"):
        read_field_order(payload, "Spring", PERSONS, STARTED)
    with pytest.raises(SignatureError, match="who is not trusted here"):
        read_field_order(payload, EVENT, {"Ben": PERSONS["Ben"]}, STARTED)
    with pytest.raises(SignatureError, match="not signed by 'Ann'"):
        read_field_order(write_field_order(Signer("Ann", SIGNERS["Ben"].secret), EVENT, LEAK, STARTED, START), EVENT, PERSONS, STARTED)
    with pytest.raises(DocumentError, match="an order over the field cannot be read"):
        read_field_order(b"{}", EVENT, PERSONS, STARTED)


@pytest.mark.parametrize("elsewhere", [REHEARSED, None])
def test_orders_of_a_rehearsal_under_the_events_name_count_for_nothing(elsewhere: StartedPlan | None) -> None:
    documents = [write_field_order(SIGNERS[name], EVENT, LEAK, elsewhere, START) for name in ("Ann", "Ben")]
    orders, said = read_field_orders(documents, EVENT, PERSONS, VENUES, STARTED)
    assert orders == FieldOrders()
    assert said[0] == "Ann has signed that deal 4 is annulled at venue 'Kyoto' for another start of the event: it does not count"
    assert read_field_orders(documents, EVENT, PERSONS, VENUES, elsewhere)[0].in_effect == (LEAK,)


def test_documents_are_read_in_their_order_and_those_that_do_not_count_are_named() -> None:
    documents = [write_field_order(SIGNERS[name], EVENT, LEAK, STARTED, START) for name in ("Ann", "Ann", "Ben")] + [b"{}"]
    orders, said = read_field_orders(documents, EVENT, PERSONS, VENUES, STARTED)
    assert (orders.annulled, len(said)) == ({(4, "Kyoto"): "a sheet was photographed"}, 2)
    assert read_field_orders(documents, EVENT, {"Ann": PERSONS["Ann"]}, VENUES, STARTED)[0].in_effect == ()


@st.composite
def signed_orders(draw: st.DrawFn) -> tuple[str, AnyFieldOrder, datetime]:
    at = START + timedelta(minutes=draw(st.integers(0, 150)))
    person, venue = draw(st.sampled_from([*PERSONS, "ann"])), draw(st.sampled_from([*VENUES, "Osaka", ""]))
    reason = draw(st.sampled_from(["leak", "fire"]))
    if venue and draw(st.booleans()):
        return person, WithdrawVenueOrder(venue, reason), at
    return person, AnnulDealOrder(draw(st.integers(1, 7)), reason, venue), at


@given(signed=st.lists(signed_orders(), max_size=20))
def test_whatever_is_signed_an_order_counts_only_with_two_persons_and_each_is_about_something_else(
    signed: list[tuple[str, AnyFieldOrder, datetime]],
) -> None:
    orders, _ = taken_at(*signed)
    for order in orders.in_effect:
        by = [(person.casefold(), at) for person, each, at in signed if each == order]
        assert any(one != other and abs(at - then) <= TOGETHER for one, at in by for other, then in by)
        assert order.venue in ("", *VENUES)
    targets = [(getattr(order, "n", 0), order.venue) for order in orders.in_effect]
    assert len(targets) == len(set(targets)) == len(orders.withdrawn) + len(orders.annulled)


AT_ONE_VENUE = st.tuples(
    st.sampled_from(["Ann", "Ben"]),
    st.sampled_from([WithdrawVenueOrder("Kyoto", reason) for reason in ("leak", "fire")]),
    st.integers(-4, 4).map(lambda thirds: START + timedelta(minutes=20 * thirds)),
)


@given(signed=st.lists(AT_ONE_VENUE, min_size=3, max_size=9))
@settings(max_examples=examples(1200))
def test_an_order_whose_signer_replaced_it_is_never_in_effect(signed: list[tuple[str, AnyFieldOrder, datetime]]) -> None:
    orders, _ = taken_at(*signed)
    last = {each.person.casefold(): each.order for each in orders.signed}
    for order in orders.in_effect:
        assert all(last[person.casefold()] == order for person in orders.persons(order))


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
