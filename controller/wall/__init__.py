"""The wall in the making: reading, placing, checking, clearing."""
