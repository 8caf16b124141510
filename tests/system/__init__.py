"""The whole table as its users run it: real processes, real wires, really killed and really unplugged."""
