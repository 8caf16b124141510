"""The private journal with its events, and the public ledgers projected from it."""
