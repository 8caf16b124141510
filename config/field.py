"""Settings of the vaults of an event with many venues: the centre's vault, and the venue's part that names it."""

from pathlib import Path
from typing import Annotated

from config.connections import DatabaseSection, MqttSettings
from config.reading import (
    MAKE_PLAN,
    MAKE_SEED,
    PUBLIC_KEY,
    PUBLIC_KEY_SHAPE,
    Commitments,
    Holder,
    SettingKey,
    VaultKeyFile,
    VaultStart,
    named_keys,
)
from twinwall.values import frozen

_NAMED = rf"\S(.*\S)? {PUBLIC_KEY}"
_NAMED_SHAPE = 'a list of texts such as "Kyoto 3f0c…", the key in hex'


@frozen
class VenueFieldSection:
    """The field of many venues that this hall is a venue of; the centre's vault of this holder gives the deals."""

    venue: Annotated[str, SettingKey("What the centre calls this hall, by the name in its settings.", pattern=r"\S(.*\S)?", shape="a name")]
    centre_key: Annotated[
        str, SettingKey("The public key of the centre's vault of this holder.", pattern=PUBLIC_KEY, shape=PUBLIC_KEY_SHAPE)
    ]


@frozen
class FieldVaultSection:
    """The centre's vault of one holder: what it keeps, and the deals in custody."""

    signing_key: VaultKeyFile
    folder: Annotated[Path, SettingKey("Folder for what the vault keeps, and for the slips that are released.")]
    seed: Annotated[Path, SettingKey("The encrypted seed file of this vault's holder.", made_by=MAKE_SEED)]
    plan: Annotated[Path, SettingKey("The event's plan of deals, with the terms of many venues.", made_by=MAKE_PLAN)]
    start: VaultStart
    venues: Annotated[
        tuple[str, ...],
        SettingKey(
            "Every venue that takes part: its name, and the public key of its vault of this holder.", pattern=_NAMED, shape=_NAMED_SHAPE
        ),
    ]
    commitments: Commitments = None
    directors: Annotated[
        tuple[str, ...],
        SettingKey("Who may withdraw a venue or annul a deal, two together: name and public key.", pattern=_NAMED, shape=_NAMED_SHAPE),
    ] = ()
    holder: Holder = "server"
    least_deal_s: Annotated[
        float, SettingKey("A venue is given one new deal of a session in this time at most, whatever its vault says.", 0.0, 3600.0)
    ] = 180.0
    deals_ahead: Annotated[
        int,
        SettingKey(
            "How many deals of a session a venue is given before its tables begin them. A venue that has lost the centre plays those on; "
            "who robs it knows them.",
            1,
            64,
        ),
    ] = 1

    def __post_init__(self) -> None:
        """Each venue and each director has a name and a key of its own."""
        for key, named in (("venues", self.keys), ("directors", self.persons)):
            lines = getattr(self, key)
            if len(named) < len(lines) or len(set(named.values())) < len(lines):
                raise ValueError(f"{key} names somebody or a key twice: each has a name and a key of its own")

    @property
    def keys(self) -> dict[str, bytes]:
        return named_keys(self.venues)

    @property
    def persons(self) -> dict[str, bytes]:
        return named_keys(self.directors)


@frozen
class FieldVaultSettings:
    """Settings of the centre's vault: twinwall centre vault --settings FILE"""

    vault: FieldVaultSection
    mqtt: MqttSettings
    database: DatabaseSection
