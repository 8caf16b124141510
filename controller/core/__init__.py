"""The pure core: decide, apply, outputs."""
