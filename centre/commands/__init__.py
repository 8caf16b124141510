"""Commands of a centre: many venues that play the same deals."""
