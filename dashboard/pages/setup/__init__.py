"""The set-up of an event for its directors: description, entrants, seating, and the event as one file."""
