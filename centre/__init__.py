"""The centre: many venues that play the same deals, compared as one field."""
