"""The management of an event: the director's changes of entrants, seats, sessions and publication, and the resulting state."""
