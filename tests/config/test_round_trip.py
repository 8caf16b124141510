"""Round trip: any settings that are written read back equal."""

import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import get_args, get_origin

from hypothesis import given
from hypothesis import strategies as st

from config import DashboardSettings, SettingsError, VaultSettings, dumps, load, loads, write
from config.reading import SettingField, keys_of
from tools.default_settings import EXAMPLES, TABLE

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


def values(field: SettingField, now: object) -> st.SearchStrategy[object]:
    kinds = get_args(field.type) if get_origin(field.type) is not tuple else ()
    if field.is_section:
        return st.none() if now is None else forms(now)
    if NoneType in kinds:
        return st.none() | values(SettingField(field.name, kinds[0], field.key, required=False), now)
    least, most = field.key.least, field.key.most
    if field.key.choices:
        return st.sampled_from(field.key.choices)
    if field.key.pattern and isinstance(now, str):
        return st.from_regex(field.key.pattern, fullmatch=True)
    if field.type is bool:
        return st.booleans()
    if field.type is int:
        return st.integers(None if least is None else int(least), None if most is None else int(most))
    if field.type is float:
        return st.floats(least, most, allow_nan=False, allow_infinity=False)
    if field.type is Path:
        return TEXTS.map(lambda text: Path("/srv") / f"x{text}")
    return st.just(now)


def forms(example: object) -> st.SearchStrategy[object]:
    """Settings like the example, with other values wherever the form allows them."""
    keys = [field for field in keys_of(type(example)) if not field.is_section or getattr(example, field.name) is not None]
    drawn = st.fixed_dictionaries({field.name: values(field, getattr(example, field.name)) for field in keys})

    def made(chosen: dict[str, object]) -> object:
        try:
            return type(example)(**chosen)
        except ValueError:  # two keys that do not go together
            return example

    return drawn.map(made)


@given(st.sampled_from(sorted(EXAMPLES)).flatmap(lambda name: forms(EXAMPLES[name])))
def test_what_is_written_reads_back_the_same(settings: object) -> None:
    assert loads(dumps(settings), type(settings), Path("/etc/any.toml")) == settings


@given(TEXTS)
def test_a_name_with_any_character_either_reads_back_or_is_refused_as_a_name(name: str) -> None:
    text = dumps(TABLE).replace('event = "Club evening"', "event = " + dumps_text(name))
    try:
        assert loads(text, type(TABLE), Path("/etc/any.toml")).table.event == name
    except SettingsError as error:
        assert "table.event" in str(error)
        assert re.fullmatch(r"\S(.*\S)?", name) is None


def dumps_text(text: str) -> str:
    """A TOML string of any text, by escapes alone."""
    return '"' + "".join(f"\\U{ord(character):08x}" for character in text) + '"'


def test_a_written_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    write(tmp_path / "table.toml", TABLE)
    assert (tmp_path / "table.toml").stat().st_mode & 0o077 == 0
    assert load(tmp_path / "table.toml", type(TABLE)) == TABLE


def test_the_examples_have_every_section() -> None:
    for example in EXAMPLES.values():
        given = [getattr(example, field.name) for field in fields(example)]  # type: ignore[arg-type]  # a dataclass
        assert all(is_dataclass(section) for section in given if section is not None)
        left_out = {DashboardSettings: (1, 2), VaultSettings: (0, 1, 3)}.get(type(example), (0,))
        assert given.count(None) in left_out, (
            "the event, or the folder of events, and the database; a vault's deals and hall, and its field"
        )
