"""The manual station: a table without a feeder, where people do by hand what a machine would do. The station answers TWF like every feeder,
with the same firmware in C. The firmware's board has no motors: a screen says what to do next, and confirmations replace sensors. No tile's
kind crosses the serial line, so the screen can only say where the tile in hand goes."""
