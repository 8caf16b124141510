"""Pages for players: where everybody sits, and each player's own card with seats and released hands."""
