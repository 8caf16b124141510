"""The manual station: a table without a feeder, where people do by hand what a machine would do.

The station answers TWF as every feeder does, with the same firmware in C. The firmware's board is wired to no motor: a screen
says what to do next, and confirmations take the place of sensors. No kind of a tile crosses the serial line, so the screen can say
no more than where the tile in hand goes.
"""
