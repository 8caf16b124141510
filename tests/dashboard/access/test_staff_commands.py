"""``twinwall hall staff``: accounts are made, listed and withdrawn beside a running dashboard."""

import re
import stat
from pathlib import Path

import pytest

from cli import main
from config import DashboardSettings, SettingsError, dumps, loads
from dashboard.access.passwords import GUESS, PasswordError, hash_password, password_fits
from dashboard.access.staff_file import StaffFile, StaffOrder
from dashboard.access.staff_schema import StaffFileError
from tests.support.commands import readable
from tests.support.dashboard.staff import CHEAP, enrol
from tests.support.narrowed import present
from tools.default_settings import DASHBOARD

LINK = re.compile(r"http://127\.0\.0\.1:8080/invitation/([\w-]{43})\n")


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """The dashboard's settings as they are delivered, with the staff file here."""
    file = tmp_path / "dashboard.toml"
    file.write_text(dumps(DASHBOARD).replace("/var/lib/twinwall/dashboard/staff.sqlite", "staff.sqlite"))
    return file


def staff(command: str, settings: Path, *words: str) -> int:
    return main(["hall", "staff", command, "--settings", str(settings), *words])


def test_an_invitation_is_printed_as_a_link_that_opens_the_account(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert staff("invite", settings, "Mei  Abe", "--role", "referee", "--role", "director") == 0
    said = capsys.readouterr()
    link = present(LINK.fullmatch(said.out))
    assert "the first visitor of this link is Mei  Abe" in said.err
    file = StaffFile(settings.parent / "staff.sqlite", CHEAP)
    account = present(file.accept(link[1], "ten letters", 0))
    assert (account.name, sorted(role.value for role in account.roles)) == ("Mei Abe", ["director", "referee"])
    file.close()


def test_the_list_says_who_is_who_and_a_withdrawn_account_stays_on_it(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = StaffFile(settings.parent / "staff.sqlite", CHEAP)
    enrol(file, "Abe")
    file.close()
    staff("invite", settings, "小林", "--role", "scorer")
    assert staff("revoke", settings, "abe") == 0
    capsys.readouterr()
    assert staff("list", settings) == 0
    assert capsys.readouterr().out == "Abe\tdirector, referee\twithdrawn\n小林\tscorer\tinvited\n"


def test_a_password_is_read_from_a_descriptor_and_never_from_the_command_line(settings: Path) -> None:
    file = StaffFile(settings.parent / "staff.sqlite", CHEAP)
    enrol(file, "Abe")
    assert staff("password", settings, "Abe", "--passphrase-fd", str(readable("another password\n"))) == 0
    assert file.password_fits(file.known("Abe"), "another password")
    file.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("revoke", "Nobody"), "there is no account of 'Nobody'; there is Abe"),
        (("password", "Nobody"), "there is no account of 'Nobody'; there is Abe"),
        (("invite", "Abe\x07", "--role", "scorer"), "1 to 60 printable characters"),
        (("invite", "x" * 61, "--role", "scorer"), "1 to 60 printable characters"),
        (("invite", "Abe", "--role", "scorer", "--hours", "0"), "--hours 0: a number from 1 to 168"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    settings: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    file = StaffFile(settings.parent / "staff.sqlite", CHEAP)
    enrol(file, "Abe")
    file.close()
    command, *rest = words
    assert staff(command, settings, *rest) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("key", ["password_hash", "referee_hash"])
def test_a_password_hash_in_the_settings_is_answered_with_the_command_that_replaces_it(key: str) -> None:
    text = dumps(DASHBOARD).replace("[dashboard]\n", f'[dashboard]\n{key} = "scrypt:32768:8:1$salt$hash"\n')
    with pytest.raises(SettingsError, match=rf"dashboard\.{key} is no longer a key: .* twinwall hall staff invite"):
        loads(text, DashboardSettings, Path("dashboard.toml"))


@pytest.mark.parametrize(
    "keys",
    [
        'address = "https://hall.example"',
        'proxies = ["127.0.0.1"]',
        'certificate = "hall.pem"',
        'address = "http://hall.example"\nproxies = ["127.0.0.1"]',
        'address = "https://hall.example"\ncertificate = "hall.pem"\ncertificate_key = "hall.key"\nproxies = ["127.0.0.1"]',
    ],
)
def test_tls_is_turned_on_as_a_whole_or_not_at_all(keys: str) -> None:
    text = dumps(DASHBOARD).replace("proxies = []\n", "").replace("[dashboard]\n", f"[dashboard]\n{keys}\n")
    with pytest.raises(SettingsError, match=r"\[dashboard\]"):
        loads(text, DashboardSettings, Path("dashboard.toml"))


def test_the_file_is_private_behind_a_link_too_and_holds_neither_passwords_nor_tokens(tmp_path: Path) -> None:
    link, path = tmp_path / "link", tmp_path / "staff.sqlite"
    link.symlink_to(path)
    file = StaffFile(link, CHEAP)
    enrol(file, "Abe", "correct horse")
    token = file.begin_session(file.known("Abe"), 0)
    invitation = file.invite("Weber", (), 1, StaffOrder(0))
    file.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for secret in ("correct horse", token, invitation):
        assert secret.encode() not in path.read_bytes()


def test_another_programs_database_is_not_taken_for_a_staff_file(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("no database")
    with pytest.raises(StaffFileError, match="cannot be read"):
        StaffFile(tmp_path / "other")


def test_a_password_costs_what_rfc_9106_recommends_and_fits_however_it_was_composed() -> None:
    assert GUESS == {"memory_cost": 64 << 10, "iterations": 3, "lanes": 4}
    kept = hash_password("Bücher und mehr", b"." * 16, CHEAP)
    assert kept.startswith("$argon2id$v=19$m=8,t=1,p=1$")
    assert password_fits("Bu\u0308cher und mehr", kept)
    assert not password_fits("Bucher und mehr", kept)
    assert not password_fits("x" * 10_000, kept)
    with pytest.raises(PasswordError, match="9 characters: take 10 to 200"):
        hash_password("too short", b"." * 16, CHEAP)
