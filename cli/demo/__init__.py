"""The demo: every part of a session as its own process, over real wires, with the simulator in place of hardware."""
