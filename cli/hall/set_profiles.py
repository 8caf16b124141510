"""The profiles of a table's two tile sets: where they lie where its settings name none, and the settings with those that are there."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from controller.device_settings import SetSection
from controller.settings import TableSettings

SETS = ("first", "second")


def named_set(settings: TableSettings, which: str) -> SetSection:
    """The set ``first`` or ``second``; raises KeyError for another name."""
    return {"first": settings.sets.first, "second": settings.sets.second}[which]


def profile_file(settings: TableSettings, which: str) -> Path:
    """Where a set's profile is: as the settings name it, else in the folder of the table's ledger."""
    return named_set(settings, which).profile or settings.ledger.folder / f"{which}-set.profile.json"


def with_profiles(settings: TableSettings, usable: Callable[[str], bool] = lambda _: True) -> TableSettings:
    """The settings with the profile of each set that is there and ``usable``, and with no other."""

    def profile(which: str) -> Path | None:
        file = profile_file(settings, which)
        return file if file.exists() and usable(which) else None

    first, second = (replace(named_set(settings, which), profile=profile(which)) for which in SETS)
    return replace(settings, sets=replace(settings.sets, first=first, second=second))
