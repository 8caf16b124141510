"""Messages between a table and the vaults of its event: challenges, journal keys, key slips, orders and answers."""
