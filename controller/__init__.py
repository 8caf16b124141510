"""One table: it builds the wall, follows the hand, keeps the two ledgers and lights the lamps."""
