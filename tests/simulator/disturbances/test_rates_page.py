"""The page of the simulator names every kind of disturbance with its rate."""

from pathlib import Path

from simulator.disturbances.kinds import RATES, Occasion, Rate

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "simulator.md"
SHARES = {Occasion.CALL: "calls", Occasion.MELD: "melds", Occasion.KONG: "kongs", Occasion.SHOWN_HAND: "shown hands"}


def written(rate: Rate) -> str:
    return f"{rate.a_hand:g} a hand" if rate.share is None else f"{100 * rate.share:g} % of {SHARES[rate.occasion]}"


def test_the_page_has_a_row_for_each_kind_with_its_words_and_its_rate() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## How its people disturb")[2].partition("\n## ")[0]
    rows = [" ".join(row.split()) for row in section.partition("\n- ")[2].partition("\n\n")[0].split("\n- ")]
    assert rows == [f"`{kind}`, {written(rate)}: {rate.words}" for kind, rate in RATES.items()]
