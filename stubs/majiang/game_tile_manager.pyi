"""The tiles that python-majiang keeps for its one board."""

class Singleton:
    _instance: dict[type, object]

GameTileManager: Singleton
