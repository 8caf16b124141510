"""Typed settings: each process reads one TOML file. ``load(path, form)`` reads it strictly; ``write(path, settings)`` writes it with a
comment for every key."""

from config.centre import CentreSettings
from config.connections import MqttSettings
from config.field import FieldVaultSettings
from config.keys import SettingsError
from config.phones import PhonesSettings
from config.reading import load, loads
from config.services import BrokerSettings, DashboardSettings, VaultSettings
from config.writing import dumps, write
