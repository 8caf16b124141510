"""Typed settings: what each process reads from its TOML file, and nothing that it decides from it."""

from config.keys import Key, SettingsError

__all__ = ["Key", "SettingsError"]
