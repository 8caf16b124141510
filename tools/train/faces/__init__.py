"""Faces for training: every kind in many styles, drawn or published."""
