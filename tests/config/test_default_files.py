"""The committed default files: complete, explained, and equal to the code's defaults."""

from dataclasses import fields
from pathlib import Path

import pytest

from config import loads
from config.reading import dumps, keys_of
from tools.default_settings import EXAMPLES, FOLDER

NAMES = sorted(EXAMPLES)


def test_there_is_a_default_file_for_every_form_and_no_other() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_default_file_is_what_the_forms_write(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == dumps(EXAMPLES[name]), "run: python -m tools.default_settings"


@pytest.mark.parametrize("name", NAMES)
def test_a_default_file_reads_back_as_the_defaults(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert loads(text, type(EXAMPLES[name]), FOLDER / name) == EXAMPLES[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_section_and_every_key_says_what_it_is_for(name: str) -> None:
    form = EXAMPLES[name]
    for section_field in fields(form):  # type: ignore[arg-type]  # every example is a dataclass
        given = getattr(form, section_field.name)
        if given is None:
            continue  # another default file has the section
        section = type(given)
        assert section.__doc__, section
        for field in keys_of(section):
            assert field.key.says or hasattr(field.type, "__dataclass_fields__"), f"{section.__name__}.{field.name}"


def test_relative_paths_start_at_the_settings_file(tmp_path: Path) -> None:
    text = dumps(EXAMPLES["broker.toml"]).replace("/etc/twinwall/broker.passwords", "private/passwords")
    settings = loads(text, type(EXAMPLES["broker.toml"]), tmp_path / "broker.toml")
    assert settings.broker.passwords == tmp_path / "private" / "passwords"  # type: ignore[attr-defined]  # a BrokerSettings
