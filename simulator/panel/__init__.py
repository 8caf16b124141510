"""The players' keys and lamps as levels on a simulated Raspberry Pi."""
