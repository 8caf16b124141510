"""The board in memory: the C core as a shared library, and the record of its table in the EEPROM.

What its pins are wired to is ``firmware_bridge.electrics``.
"""
