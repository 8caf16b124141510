"""Pages for players: everybody's seats, and each player's card with seats and released hands."""
