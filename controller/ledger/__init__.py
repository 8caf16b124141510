"""The private journal with its events, and the public ledgers that are projected from it."""
