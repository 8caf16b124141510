"""The wall of the next deal: reading, placing, checking, clearing."""
