"""Rulings: what a referee may choose, the form, and the route that takes it."""
