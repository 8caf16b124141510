"""The mat seen from above: slots, their registration, and the tiles that lie there."""
