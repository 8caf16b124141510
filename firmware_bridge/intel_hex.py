"""Intel HEX, the text in which programmers take a chip's memory: records of bytes with their address and a checksum.

Written from the format's description (Intel, "Hexadecimal Object File Format Specification", 1988); addresses
of 16 bits are all that an EEPROM needs, so records of other kinds but the last are refused.
"""

from collections.abc import Mapping

BYTES_A_LINE = 16
_CONTENT, _END = 0, 1
_END_LINE = ":00000001FF"
_HEAD_BYTES = 4


def dumps(pieces: Mapping[int, bytes]) -> str:
    """Pieces of memory by their addresses, in lines of 16 bytes at most."""
    lines = []
    for begin, piece in sorted(pieces.items()):
        for at in range(0, len(piece), BYTES_A_LINE):
            lines.append(_line(begin + at, piece[at : at + BYTES_A_LINE]))
    return "\n".join([*lines, _END_LINE]) + "\n"


def loads(text: str) -> bytes:
    """The memory from address 0 to the last byte that is given, with FF, as an erased EEPROM has it, between the pieces.

    Raises ValueError for a text that is no Intel HEX file, naming the line and what is wrong with it.
    """
    memory = bytearray()
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        kind, address, content = _parse(line, number)
        if kind == _END:
            return bytes(memory)
        if kind != _CONTENT:
            raise ValueError(f"line {number} is a record of kind {kind}, which no EEPROM has")
        memory.extend(b"\xff" * (address + len(content) - len(memory)))
        memory[address : address + len(content)] = content
    raise ValueError("its last line is missing: the file has been cut off")


def _line(address: int, content: bytes) -> str:
    record = bytes([len(content), address >> 8 & 0xFF, address & 0xFF, _CONTENT]) + content
    return f":{record.hex().upper()}{_checksum(record):02X}"


def _parse(line: str, number: int) -> tuple[int, int, bytes]:
    try:
        record = bytes.fromhex(line.removeprefix(":"))
    except ValueError:
        record = b""
    if not line.startswith(":") or len(record) < _HEAD_BYTES + 1 or len(record) != _HEAD_BYTES + record[0] + 1:
        raise ValueError(f"line {number} is no record of Intel HEX")
    if record[-1] != _checksum(record[:-1]):
        raise ValueError(f"line {number} is damaged: its checksum is not that of its bytes")
    return record[3], int.from_bytes(record[1:3], "big"), record[_HEAD_BYTES:-1]


def _checksum(record: bytes) -> int:
    return -sum(record) & 0xFF
