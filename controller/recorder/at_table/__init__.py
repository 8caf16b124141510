"""The recorder at a running table: what its decoders hear of a hand, what they report to the table, and what is compared afterwards."""
