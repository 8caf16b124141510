from collections.abc import Iterable
from typing import Final

BCM: Final = 11
BOARD: Final = 10
OUT: Final = 0
IN: Final = 1
LOW: Final = 0
HIGH: Final = 1
PUD_OFF: Final = 20
PUD_DOWN: Final = 21
PUD_UP: Final = 22
_chip: int

def setwarnings(value: bool) -> None: ...
def setmode(new_mode: int) -> None: ...
def setup(chanlist: int | Iterable[int], direction: int, pull_up_down: int = 20, initial: int | None = None) -> None: ...
def input(channel: int) -> int: ...
def output(channel: int | Iterable[int], value: int | bool | Iterable[int]) -> None: ...
def cleanup(chanlist: int | Iterable[int] | None = None) -> None: ...
