"""The demo: every part of a table as its own process, over real wires, with the simulator in place of hardware."""
