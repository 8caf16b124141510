"""Attacks that were carried out: each fails by name, and succeeds in its control, where the defence is not there."""
