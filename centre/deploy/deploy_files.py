"""Fills the plain files of this folder: ``@name`` stands for a value, since the files' own syntax has dollar signs."""

from importlib.resources import files
from pathlib import Path
from string import Template

from twinwall.values import frozen


@frozen
class ServerTls:
    """Files of a server's certificate, with its chain, and of its key."""

    certificate: Path
    key: Path


class _AtTemplate(Template):
    delimiter = "@"


def filled(file: str, /, **values: object) -> str:
    """A file of this folder with its values; raises KeyError if one is missing."""
    return _AtTemplate(files(__package__).joinpath(file).read_text(encoding="utf-8")).substitute(values)
