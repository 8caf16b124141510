"""Pure core of the controller: decide, apply, outputs."""
