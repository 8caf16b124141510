"""Messages between a table and the event's vaults: challenges, journal keys, key slips, orders and answers."""
