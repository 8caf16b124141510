"""Settings of a consumer of the centre: its share of the venues, and how their results are compared."""

from pathlib import Path
from typing import Annotated

from config.connections import DatabaseSection, MqttSettings
from config.reading import MAKE_PLAN, MAKE_START, MQTT, Compared, EventName, ScaleFile, SettingKey, given_together, named_keys
from twinwall.values import frozen

_VENUES = (
    "Every venue that takes part: its region, a colon, its name, and the public key of its server. Without a key nothing of the venue is "
    "signed, which is for rehearsals. Every consumer of a centre has the same list."
)
_DIRECTORS = (
    "Who may withdraw a venue or annul a deal, two of them together: each one's name and public key (twinwall admin sign key NEW). Without "
    "two of them nobody can."
)
_SHARE = "Which venues of the list this consumer writes for: 2/3 is the second, the fifth and so on. One consumer at a time has a venue."


@frozen
class CentreSection:
    """The event of many venues, and this consumer's share of them."""

    name: EventName
    venues: Annotated[
        tuple[str, ...],
        SettingKey(
            _VENUES, pattern=r"[^\s:]+: \S(.*\S)?( [0-9a-f]{64})?", shape='a list of texts such as "west: Kyoto 3f0c…", the key in hex'
        ),
    ]
    share: Annotated[str, SettingKey(_SHARE, pattern=r"[1-9][0-9]{0,2}/[1-9][0-9]{0,2}", shape='a share such as "1/3"')] = "1/1"
    plan: Annotated[
        Path | None, SettingKey("The event's plan of deals; left out in a rehearsal where none is in custody.", made_by=MAKE_PLAN)
    ] = None
    start: Annotated[Path | None, SettingKey("The event's start; every venue's must be the same. Needs plan.", made_by=MAKE_START)] = None
    kind: Compared = "individual"
    scale: ScaleFile = None
    points: Annotated[
        str, SettingKey("What is added up: IMP, or the mean of the IMP against every other table.", choices=("imp", "cross-imp"))
    ] = "imp"

    directors: Annotated[
        tuple[str, ...],
        SettingKey(_DIRECTORS, pattern=r"\S(.*\S)? [0-9a-f]{64}", shape='a list of texts such as "Ann 3f0c…", the key in hex'),
    ] = ()

    def __post_init__(self) -> None:
        """Refuse a plan without a start, an impossible share, and names or keys given twice."""
        given_together("plan and start", self.plan, self.start)
        if self.share_of[0] > self.share_of[1]:
            raise ValueError(f"share {self.share} is none: the first number is from 1 to the second")
        names = [name for _, name, _ in self.named]
        persons, signing = {name.casefold() for name in self.persons}, set(self.persons.values())
        if len(persons) < len(self.directors) or len(signing) < len(self.directors):
            raise ValueError("directors names a person or a key twice: two persons have to sign, each with a key of his own")
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"venue {twice[0]!r} is named twice: two venues cannot have one name")

    @property
    def share_of(self) -> tuple[int, int]:
        """Number of this share, from 1, and the number of shares."""
        which, _, of = self.share.partition("/")
        return int(which), int(of)

    @property
    def persons(self) -> dict[str, bytes]:
        return named_keys(self.directors)

    @property
    def named(self) -> tuple[tuple[str, str, str], ...]:
        """Region, name and key (empty if there is none) of every venue."""
        found: list[tuple[str, str, str]] = []
        for line in self.venues:
            region, _, venue = line.partition(": ")
            name, _, key = venue.rpartition(" ")
            has_key = bool(name) and len(key) == 64 and set(key) <= set("0123456789abcdef")
            found.append((region, name, key) if has_key else (region, venue, ""))
        return tuple(found)


@frozen
class CentreMqtt(MqttSettings):
    """The centre's brokers; they are one cluster."""

    others: Annotated[
        tuple[str, ...],
        SettingKey(
            "The other brokers of the cluster. Whenever a connection ends, the next broker is tried.",
            pattern=MQTT,
            shape='a list of addresses such as "mqtts://mq2.example:8883"',
        ),
    ] = ()

    def __post_init__(self) -> None:
        MqttSettings.__post_init__(self)
        for url in self.others:
            self.at(url)

    def at(self, url: str) -> MqttSettings:
        """These settings with another broker's address; raises ValueError for one that ``url`` could not have."""
        files = (self.password_file, self.ca_file, self.certificate_file, self.key_file)
        return MqttSettings(url, self.user, *files, allow_clear_text=self.allow_clear_text)


@frozen
class CentreSettings:
    """Settings of a consumer of the centre: twinwall centre consume --settings FILE"""

    centre: CentreSection
    mqtt: CentreMqtt
    database: DatabaseSection
