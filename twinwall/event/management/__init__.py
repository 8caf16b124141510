"""The management of an event: what its director says of entrants, seats, sessions and publication, and what that amounts to."""
