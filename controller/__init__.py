"""Controller of one table: builds the wall, follows the hand, writes the journal and the ledgers, and lights the lamps."""
