"""Faces to train on: every kind in endless styles, drawn or published."""
