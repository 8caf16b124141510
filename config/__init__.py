"""Typed settings: each process reads one TOML file. ``load(path, form)`` reads it strictly; ``write(path, settings)`` writes it with a
comment for every key."""

from config.centre import CentreSettings
from config.connections import MqttSettings
from config.field import FieldVaultSettings
from config.phones import PhonesSettings
from config.reading import SettingsError, dumps, load, loads, write
from config.services import BrokerSettings, DashboardSettings, VaultSettings
