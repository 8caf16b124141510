"""``twinwall hall``: its files, and a real Mosquitto that is started with them."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from cli import main
from cli.hall.certificate_files import CertificateFiles
from cli.table.mqtt_connection import mqtt_access, mqtt_address
from config import MqttSettings, SettingsError, write
from tests.support.wire.brokers import MOSQUITTO, Ear, RunningBroker, eventually, free_port
from tools.default_settings import DASHBOARD
from twinwall.wire.certificates import name_in_certificate
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


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ((), "--host"),
        (("--host", "hall.example", "--table", "9"), "table '9' is not in"),
        (("--host", "hall.example", "--days", "0"), "--days must be 1 to"),
        (("--host", "hall.example", "--days", "4000"), "--days must be 1 to"),
        (("--host", "no host"), "is no host"),
    ],
)
def test_what_cannot_be_made_is_one_sentence_and_makes_nothing(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], sentence: str
) -> None:
    assert make(settings, tmp_path / "new", *more) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


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
    """The section of one program's settings."""
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
