"""The recorder at a running table: what its decoders are told of a hand, what they tell the table, and what is compared afterwards."""
