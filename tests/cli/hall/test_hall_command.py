"""``twinwall hall``: its files, in clear on this computer alone and by TLS beyond it, a real Mosquitto, and what it says at its start."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_IMODE
from urllib.parse import unquote, urlsplit

import pytest

import config
from cli import main
from cli.hall import held_ports
from cli.hall.certificate_files import CertificateFiles
from cli.hall.guided_tables import GuidedTables
from cli.hall.hall_folder import CERTIFICATE_DAYS, HallFolder
from cli.hall.hall_serve import tell
from cli.table.mqtt_connection import mqtt_access, mqtt_address
from cli.terminal import show_in_browser
from cli.usage import UsageError
from config import MqttSettings, SettingsError, write
from tests.support.wire.brokers import MOSQUITTO, Ear, RunningBroker, eventually, free_port
from tools.default_settings import DASHBOARD
from twinwall.wire.certificates import issued_by, name_in_certificate
from twinwall.wire.mqtt.access import SERVER_USER, table_user
from twinwall.wire.mqtt.broker_address import Credentials
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic, all_tables

EVENT, TABLES = "Club evening", ("1", "1.5")


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / "dashboard.toml"
    write(file, replace(DASHBOARD, event=replace(DASHBOARD.one_event, name=EVENT, tables=TABLES)))
    return file


def make(settings: Path, out: Path, *more: str) -> int:
    return main(["hall", "certificates", "--settings", str(settings), "--out", str(out), *more])


def all_of_it(settings: Path, out: Path) -> int:
    return make(settings, out, "--host", "127.0.0.1", *(word for table in TABLES for word in ("--table", table)))


def test_keys_are_their_owners_alone_and_nothing_is_written_over(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "certificates"
    assert make(settings, out, "--host", "hall.example", "--host", "192.168.1.10", "--table", "1") == 0
    keys = sorted(path.name for path in out.glob("*.key"))
    assert keys == ["authority.key", "broker.key", "server.key", "table-1.key", "vault.key"]
    assert {path.stat().st_mode & 0o777 for path in out.glob("*.key")} == {0o600}
    assert out.stat().st_mode & 0o777 == 0o700
    before = {path: path.read_bytes() for path in out.iterdir()}
    capsys.readouterr()
    assert make(settings, out, "--table", "1", "--table", "1.5") == 0
    assert f"{out}/table-1.pem: was there, and is kept" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before
    assert (out / "table-1%2E5.pem").exists()


def test_a_folder_with_half_an_authority_is_refused(settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "certificates"
    assert make(settings, out, "--host", "hall.example") == 0
    assert make(settings, out, "--host", "other.example") == 2
    assert "whose hosts are fixed" in capsys.readouterr().err
    (out / "authority.key").unlink()
    assert make(settings, out) == 2
    assert "authority.key" in capsys.readouterr().err


def test_the_gateway_to_a_centre_has_certificate_and_rights_where_it_is_asked_for(settings: Path, tmp_path: Path) -> None:
    out = tmp_path / "certificates"
    assert make(settings, out, "--host", "127.0.0.1", "--gateway") == 0
    assert name_in_certificate((out / "gateway.pem").read_bytes()) == "gateway"
    command = ["hall", "mosquitto", "--settings", str(settings), "--certificates", str(out), "--listen", "127.0.0.1"]
    for folder, more in ((tmp_path / "with", ["--gateway"]), (tmp_path / "without", [])):
        folder.mkdir()
        assert main([*command, "--out", str(folder), *more]) == 0
    assert "user gateway\n" in (tmp_path / "with" / "mosquitto.rights").read_text()
    assert "gateway" not in (tmp_path / "without" / "mosquitto.rights").read_text()


def mqtt(out: Path, name: str, port: int) -> MqttSettings:
    files = CertificateFiles(out).tls_files(name)
    return MqttSettings(f"mqtts://127.0.0.1:{port}", "", None, files.authority, files.certificate, files.key)


def test_a_program_with_the_certificate_of_another_does_not_start(settings: Path, tmp_path: Path) -> None:
    """Two tables with one certificate: the second is told whose it has."""
    out = tmp_path / "certificates"
    all_of_it(settings, out)
    with pytest.raises(SettingsError, match=r"is the certificate of table-1, and this is table-2"):
        mqtt_access(mqtt(out, "table-1", 8883), table_user("2"))
    all_of_it(settings, tmp_path / "others")
    mixed = replace(mqtt(out, "table-1", 8883), ca_file=tmp_path / "others" / "authority.pem")
    with pytest.raises(SettingsError, match="take both from one folder"):
        mqtt_access(mixed, table_user("1"))


@dataclass
class Configured(RunningBroker):
    """Mosquitto with the configuration that the command has written."""

    def mosquitto_conf(self) -> str:
        return (self.folder / "mosquitto.conf").read_text()


@pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)")
def test_mosquitto_lets_in_certificates_alone_each_to_its_own_topics(settings: Path, tmp_path: Path) -> None:
    out, port = tmp_path / "certificates", free_port()
    assert all_of_it(settings, out) == 0
    command = ["hall", "mosquitto", "--settings", str(settings), "--certificates", str(out), "--listen", "127.0.0.1", "--port", str(port)]
    assert main([*command, "--out", str(tmp_path)]) == 0
    assert main([*command, "--out", str(tmp_path)]) == 2, "nothing is written over"
    broker = Configured("mosquitto", tmp_path, port)
    broker.start()

    def link(name: str, ear: Ear, *topics: str) -> MqttLink:
        section = mqtt(out, name, port)
        made = MqttLink(mqtt_address(section), mqtt_access(section, name), ear, subscriptions=topics)
        made.start()
        return made

    ears = [Ear(), Ear(), Ear(), Ear()]
    server = link(SERVER_USER, ears[0], all_tables(EVENT, Channel.EVENTS))
    tables = [link(table_user(table), ear, all_tables(EVENT, Channel.EVENTS)) for table, ear in zip(TABLES, ears[1:], strict=False)]
    nobody = MqttLink(
        mqtt_address(MqttSettings(f"mqtts://127.0.0.1:{port}", "", None, out / "authority.pem")), Credentials("server", "x"), ears[3]
    )
    nobody.start()
    eventually(lambda: all(each.is_connected for each in (server, *tables)), "who has a certificate is let in")
    for table in tables:
        for written in TABLES:
            table.publish(str(Topic(EVENT, written, Channel.EVENTS)), f"of {written}".encode())
    eventually(lambda: len(ears[0].messages) >= 2 and len(ears[3].reasons) >= 2, "the lines arrive, and who has none is refused twice")
    for each in (server, *tables, nobody):
        each.close()
    broker.stop()
    assert sorted(ears[0].messages) == sorted((str(Topic(EVENT, table, Channel.EVENTS)), f"of {table}".encode()) for table in TABLES)
    assert ears[1].messages == ears[2].messages == []
    assert ears[3].times_connected == 0


NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
ADDRESS, LOCAL = "192.0.2.7", "http://127.0.0.1"


def hall_at(folder: Path, host: str) -> HallFolder:
    return HallFolder(folder, folder / "memory", ("1",), 8883, 8443, trusting=False, host=host)


def test_a_hall_on_this_computer_alone_has_no_certificates(tmp_path: Path) -> None:
    hall = hall_at(tmp_path, "127.0.0.1")
    hall.broker()
    hall.dashboard()
    broker = config.load(tmp_path / "broker.toml", config.BrokerSettings).broker
    assert (broker.host, broker.certificate_file) == ("127.0.0.1", None)
    assert hall.page_url == "http://127.0.0.1:8443"
    assert not hall.certificates.has_authority


def test_beyond_it_broker_pages_and_vault_have_certificates_of_the_halls_authority(tmp_path: Path) -> None:
    hall = hall_at(tmp_path, ADDRESS)
    hall.make_certificates(NOW)
    for process in (hall.broker(), hall.vault(), hall.dashboard()):
        assert process.words[:2] in (("hall", "broker"), ("vault", "run"), ("hall", "dashboard"))
    broker = config.load(tmp_path / "broker.toml", config.BrokerSettings).broker
    pages = config.load(tmp_path / "dashboard.toml", config.DashboardSettings)
    vault = config.load(tmp_path / "vault.toml", config.VaultSettings)
    assert (broker.host, pages.dashboard.host, pages.dashboard.address) == (ADDRESS, ADDRESS, f"https://{ADDRESS}:8443")
    assert pages.mqtt.url == vault.mqtt.url == f"mqtts://{ADDRESS}:8883"
    authority = hall.certificates.certificate("authority").read_bytes()
    files = (broker.certificate_file, pages.dashboard.certificate, pages.mqtt.certificate_file, vault.mqtt.certificate_file)
    assert [name_in_certificate(file.read_bytes()) for file in files if file is not None] == ["broker", "server", "server", "vault"]
    assert all(file is not None and issued_by(file.read_bytes(), authority) for file in files)


def test_a_certificate_that_browsers_know_is_for_pages_and_phones_alone(tmp_path: Path) -> None:
    known = tmp_path / "fullchain.pem", tmp_path / "privkey.pem"
    hall = replace(hall_at(tmp_path, "hall.club.example"), phones=f"{LOCAL}:8120", readiness=f"{LOCAL}:8121", certificate=known)
    hall.make_certificates(NOW)
    hall.broker()
    hall.dashboard()
    assert next(process.name for process, _ in GuidedTables(hall, ("1",), 8443, (8105,)).processes(NOW)) == "phones"
    pages = config.load(tmp_path / "dashboard.toml", config.DashboardSettings)
    broker = config.load(tmp_path / "broker.toml", config.BrokerSettings).broker
    assert (pages.dashboard.certificate, pages.dashboard.certificate_key) == known
    section = config.load(tmp_path / "phones.toml", config.PhonesSettings).phones
    assert (section.certificate, section.certificate_key, section.host) == (*known, "hall.club.example")
    assert pages.dashboard.address == "https://hall.club.example:8443"
    assert broker.certificate_file == hall.certificates.certificate("broker")
    assert pages.mqtt.certificate_file == hall.certificates.certificate("server")


def test_certificates_are_kept_and_those_of_another_address_or_that_have_ended_are_refused(tmp_path: Path) -> None:
    hall_at(tmp_path, ADDRESS).make_certificates(NOW)
    kept = (tmp_path / "certificates" / "broker.pem").read_bytes()
    hall_at(tmp_path, ADDRESS).make_certificates(NOW + timedelta(days=1))
    assert (tmp_path / "certificates" / "broker.pem").read_bytes() == kept
    with pytest.raises(UsageError, match=rf"--host 192\.0\.2\.8: .* are of {ADDRESS}"):
        hall_at(tmp_path, "192.0.2.8").make_certificates(NOW)
    with pytest.raises(UsageError, match="ended on"):
        hall_at(tmp_path, ADDRESS).make_certificates(NOW + timedelta(days=CERTIFICATE_DAYS + 1))


def test_a_port_that_the_parts_of_a_killed_hall_still_have_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setattr("time.sleep", lambda _: other.close())
        held_ports.refuse_taken("127.0.0.1", {"--port": other.getsockname()[1]})
        assert other.fileno() == -1


@pytest.mark.parametrize("option", ["--port", "--broker-port", "--phones-port"])
def test_a_port_that_another_program_has_is_named_before_anything_is_made(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_ports, "ENDING_S", 0.0)
    ports = {name: str(free_port()) for name in ("--port", "--broker-port", "--phones-port")}
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(ports[option])))
        other.listen()
        words = [word for pair in ports.items() for word in pair]
        assert main(["hall", "serve", str(tmp_path / "hall"), "--tables", "1", "--guided", "1", *words]) == 2
    assert f"{option} {ports[option]}: a program of this computer has that port already" in capsys.readouterr().err
    assert not (tmp_path / "hall").exists()


LINK = "http://127.0.0.1:8080/invitation/1?a=b&c=d"


def browser(opened: list[str]) -> Callable[[str], bool]:
    def show(address: str) -> bool:
        opened.append(address)
        return True

    return show


@pytest.mark.parametrize(
    ("environment", "times"), [({"DISPLAY": ":0"}, 1), ({"WAYLAND_DISPLAY": "wayland-0"}, 1), ({"DISPLAY": ""}, 0), ({}, 0)]
)
def test_a_page_that_leads_to_the_link_is_opened_where_there_is_a_desktop(environment: dict[str, str], times: int, tmp_path: Path) -> None:
    opened = list[str]()
    show_in_browser(LINK, environment, tmp_path, browser(opened))
    assert len(opened) == times
    for address in opened:
        page = Path(unquote(urlsplit(address).path))
        assert 'content="0; url=http://127.0.0.1:8080/invitation/1?a=b&amp;c=d"' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("host", "says"), [("127.0.0.1", True), ("hall.example", False)])
def test_a_hall_on_this_computer_alone_says_that_no_phone_reaches_it(
    host: str, says: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(HallFolder(tmp_path, tmp_path, ("1",), 1883, 8080, False, host), None, shows=False)
    assert ("add --host with this computer's address" in capsys.readouterr().err) is says


def test_the_words_with_which_a_browser_is_started_do_not_have_the_link_and_its_page_is_read_by_nobody_else(tmp_path: Path) -> None:
    opened = list[str]()
    show_in_browser(LINK, {"DISPLAY": ":0"}, tmp_path, browser(opened))
    assert "invitation" not in opened[0]
    assert S_IMODE(Path(unquote(urlsplit(opened[0]).path)).stat().st_mode) == 0o600


def test_a_desktop_without_a_browser_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    show_in_browser(LINK, {"DISPLAY": ":0"}, tmp_path, lambda _: False)
    assert "open the address yourself" in capsys.readouterr().err
