"""The recorder at a running table: its decoders' signals, their reports to the table, and the comparison after the hand."""
