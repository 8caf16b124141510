"""The centre's vault with its files: a killed one goes on from its ledger, and a store that is away holds up neither deals nor slips."""

from datetime import timedelta
from pathlib import Path

import pytest

from centre.custody.field_ledger import FIELD_LEDGER
from centre.custody.field_orders import AnnulDealOrder, FieldOrders, PersonsOrder, WithdrawVenueOrder
from centre.custody.field_rules import EVERYWHERE, FieldCustody
from centre.custody.venues import LOOK_S, Venues
from centre.tests.support.field_halls import OPENS, TERMS, OrderedStore, centre_signer
from config import SettingsError, loads
from config.field import FieldVaultSection
from config.services import VaultSettings
from tests.support.custody.hall import EVENT, HeldEvent
from twinwall.custody.release import AllowKey
from twinwall.custody.vault import Vault
from twinwall.custody.vault_files import Orders, VaultFiles, VaultLedger
from twinwall.game.deals import ReleaseRule
from twinwall.game.documents import DocumentError, write_time
from twinwall.wire.messages.signing import Signer, fingerprint, sign_document
from twinwall.wire.messages.venue_messages import VenueVaultStatement
from twinwall.wire.mqtt.topics import venue_vault_topic

HELD = HeldEvent("server", terms=TERMS[ReleaseRule.ALL_FINISHED])
VENUES = {name: Signer(name, name.encode().ljust(32, b"v")) for name in ("Kyoto", "Sendai")}
WITHDRAWN = FieldOrders(tuple(PersonsOrder(person, WithdrawVenueOrder("Sendai", "fire"), OPENS) for person in ("Ann", "Ben")))


class KeptRig:
    """A vault in a folder, beside a store that may be away."""

    def __init__(self, folder: Path, least_deal_s: float = 0.0) -> None:
        self.folder, self.at, self.counter, self.least_deal_s = folder, OPENS, 0, least_deal_s
        self.store = OrderedStore()
        self.said: list[str] = []
        self.sent: list[str] = []
        self.allowed = Orders(folder, EVENT, centre_signer("server"), once=True)
        for venue in VENUES:
            self.allow(venue, "ab" * 32)
        self.start()

    def start(self) -> None:
        signer, shares = centre_signer("server"), HELD.shares["server"]
        custody = FieldCustody(HELD.plan, tuple(VENUES), self.least_deal_s)
        enrolled = {name: each.public for name, each in VENUES.items()}
        venues = Venues(custody, enrolled, shares, signer, self.store)
        disk = VaultFiles(self.folder, EVENT, signer, self.folder / "released", self.said.append, form=FIELD_LEDGER, once=True)
        self.vault = Vault(shares, venues, disk)

    def allow(self, venue: str, key: str) -> None:
        self.allowed.give(AllowKey(venue, fingerprint(bytes.fromhex(key))))

    def tick(self) -> None:
        self.at += timedelta(seconds=LOOK_S)
        self.sent += [each.topic for each in self.vault.tick((self.at - OPENS).total_seconds(), self.at)]

    def say(self, venue: str, *finished: int, key: str = "ab" * 32) -> None:
        self.counter += 1
        said = VenueVaultStatement("server", self.counter, write_time(self.at), HELD.start.code.hex(), key, finished, finished)
        topic = f"venue/{venue}/{venue_vault_topic(EVENT)}"
        sent = self.vault.hear(topic, sign_document(VENUES[venue], said, EVENT), (self.at - OPENS).total_seconds())
        self.sent += [each.topic for each in sent]


def test_a_killed_vault_goes_on_from_its_ledger_and_a_store_that_is_away_delays_orders_alone(tmp_path: Path) -> None:
    rig = KeptRig(tmp_path)
    rig.store.away = True
    rig.tick()
    for venue in VENUES:
        rig.say(venue)
    rig.tick()
    assert rig.sent.count("venue/Kyoto/orders/share") == rig.sent.count("venue/Sendai/orders/share") == 1
    assert rig.said.count("orders are not read and slips are not stored: the centre's store is away") == 1
    rig.say("Kyoto", 1)
    rig.start()
    rig.store.signed, rig.store.away = WITHDRAWN, False
    rig.tick()
    assert (tmp_path / "released" / "slip-0001.json").exists()
    rig.tick()
    assert list(rig.store.slips) == [1]


def test_a_killed_vault_still_waits_the_least_time_since_a_venues_last_new_deal(tmp_path: Path) -> None:
    rig = KeptRig(tmp_path, least_deal_s=60.0)
    rig.tick()
    for venue in VENUES:
        rig.say(venue)
    rig.tick()
    rig.start()
    rig.tick()
    rig.say("Kyoto", 1)
    rig.say("Sendai")
    for _ in range(10):
        rig.tick()
    assert rig.sent.count("venue/Kyoto/orders/share") == 1
    rig.tick()
    rig.tick()
    assert rig.sent.count("venue/Kyoto/orders/share") == 2


def test_another_sealing_key_counts_once_a_person_has_allowed_it_at_the_vaults_machine(tmp_path: Path) -> None:
    rig = KeptRig(tmp_path)
    rig.tick()
    for venue in VENUES:
        rig.say(venue)
    rig.tick()
    rig.say("Kyoto", 1, key="cd" * 32)
    assert rig.sent.count("venue/Kyoto/orders/share") == 1
    rig.allow("Kyoto", "cd" * 32)
    rig.tick()
    rig.say("Kyoto", 1, key="cd" * 32)
    assert rig.sent.count("venue/Kyoto/orders/share") == 2
    rig.start()
    rig.tick()
    rig.say("Kyoto", 1, key="ab" * 32)
    rig.tick()
    assert rig.sent.count("venue/Kyoto/orders/share") == 2, "a key that was allowed before the start counts no longer"


def test_a_vault_that_starts_again_while_the_store_is_away_remembers_who_was_withdrawn_and_what_was_annulled(tmp_path: Path) -> None:
    rig = KeptRig(tmp_path)
    rig.tick()
    for venue in VENUES:
        rig.say(venue)
    annulled = tuple(PersonsOrder(person, AnnulDealOrder(2, "film"), OPENS) for person in ("Ann", "Ben"))
    rig.store.signed = FieldOrders(WITHDRAWN.signed + annulled)
    rig.tick()
    rig.store.away = True
    rig.start()
    state = rig.vault.state
    assert state.members["Sendai"].withdrawn
    assert state.annulled == {(2, EVERYWHERE)}
    given = rig.sent.count("venue/Sendai/orders/share")
    rig.tick()
    rig.say("Sendai", 1)
    rig.tick()
    assert rig.sent.count("venue/Sendai/orders/share") == given


def test_a_ledger_line_that_was_edited_is_refused_by_its_number(tmp_path: Path) -> None:
    rig = KeptRig(tmp_path)
    rig.tick()
    rig.say("Kyoto")
    path = tmp_path / "field"
    path.write_bytes(path.read_bytes().replace(b'"Kyoto"', b'"Sendai"'))
    with pytest.raises(DocumentError, match="line 1"):
        rig.start()


def test_settings_of_a_venues_vault_have_no_seed_and_name_each_venue_once(tmp_path: Path) -> None:
    section = '[field]\nvenue = "Kyoto"\ncentre_key = "' + "ab" * 32 + '"\n'
    vault = f'[vault]\nsigning_key = "{tmp_path}/key"\nfolder = "{tmp_path}"\n'
    mqtt = '[mqtt]\nurl = "mqtt://127.0.0.1:1883"\n'
    with pytest.raises(SettingsError, match="the vault has no seed: leave \\[vault\\] seed out, and give \\[deals\\] and \\[hall\\]"):
        loads(vault + mqtt + section, VaultSettings, tmp_path / "vault.toml")
    with pytest.raises(ValueError, match="venues names somebody or a key twice"):
        FieldVaultSection(tmp_path, tmp_path, tmp_path, tmp_path, tmp_path, (f"Kyoto {'a' * 64}", f"Sendai {'a' * 64}"))


GOLDEN = Path(__file__).parent / "golden"


def test_every_kind_of_entry_is_read_and_written_the_same(tmp_path: Path) -> None:
    again, signer = VaultLedger(tmp_path, EVENT, centre_signer("server"), FIELD_LEDGER), centre_signer("server")
    for entry in VaultLedger(GOLDEN, EVENT, signer, FIELD_LEDGER).read():
        again.keep(entry)
    assert [(tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes() for name in ("field", "field.head")] == [True, True]
