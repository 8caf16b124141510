"""A table without a feeder: a person does by hand what a machine would do, and the controller cannot tell.

The station answers TWF/1 as every feeder does. Behind its firmware stands no motor but a screen that says what to do next,
and confirmations take the place of sensors. No kind of a tile crosses the wire, so the screen can say no more than where the
tile in hand goes.
"""
