"""Settings of the PostgreSQL database that stores of events lie in."""

from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

from config.clear_text import ALLOW_CLEAR_TEXT, NetworkSection, is_loopback
from config.keys import MAKE_DATABASE_PASSWORD, SettingKey
from twinwall.values import frozen

_URL = (
    "Where the database is and who this is: a connection URI of PostgreSQL. On another machine it needs sslmode=verify-full, and "
    "sslrootcert where the authority is your own."
)


@frozen
class DatabaseSection(NetworkSection):
    """A PostgreSQL database that stores lie in; left out, each store is a file of SQLite."""

    url: Annotated[
        str, SettingKey(_URL, pattern=r"postgresql://[^\s#]+", shape='an address such as "postgresql://twinwall@127.0.0.1/hall"')
    ]
    password_file: Annotated[
        Path | None,
        SettingKey("File that holds the password alone; left out where the server asks for none.", made_by=MAKE_DATABASE_PASSWORD),
    ] = None
    schema: Annotated[
        str,
        SettingKey(
            "Schema of the store of [event]; those of [events] have schemas of their own, such as event_0001.",
            pattern="[a-z][a-z0-9_]{0,39}",
            shape="small letters, digits and _",
        ),
    ] = "twinwall"
    allow_clear_text: Annotated[bool, SettingKey(ALLOW_CLEAR_TEXT)] = False

    def __post_init__(self) -> None:
        """A password has its file, and the network its encryption."""
        if urlsplit(self.url).password is not None or "password" in self._options:
            raise ValueError("url has a password: take it out and write it into password_file")
        if "schema" in self._options:
            raise ValueError("url has a schema: take it out and write it as schema")
        self.refuse_clear_text("write sslmode=verify-full into url")

    @property
    def in_clear(self) -> str | None:
        """The database's address, where it is another machine's and not encrypted, or anybody could answer in its place."""
        hosts = (self._options.get("hostaddr") or self._options.get("host") or urlsplit(self.url).hostname or "").split(",")
        here = all(not host or host.startswith("/") or is_loopback(host) for host in hosts)
        return None if here or self._options.get("sslmode") == "verify-full" else f"url {self.url}"

    @property
    def _options(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.url).query))
