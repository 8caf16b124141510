"""Typed settings: what each process reads from its TOML file.

``load(path, TableSettings)`` reads a file strictly; ``write(path, settings)`` makes one with every key explained.
"""

from config.centre import CentreSettings
from config.field import FieldVaultSettings
from config.keys import SettingKey, SettingsError
from config.mqtt import MqttSettings
from config.phones import PhonesSettings
from config.reading import load, load_to_run, loads
from config.services import BrokerSettings, DashboardSettings, VaultSettings
from config.station import StationSettings
from config.table import TableSettings
from config.writing import dumps, write

__all__ = [
    "BrokerSettings",
    "CentreSettings",
    "DashboardSettings",
    "FieldVaultSettings",
    "MqttSettings",
    "PhonesSettings",
    "SettingKey",
    "SettingsError",
    "StationSettings",
    "TableSettings",
    "VaultSettings",
    "dumps",
    "load",
    "load_to_run",
    "loads",
    "write",
]
