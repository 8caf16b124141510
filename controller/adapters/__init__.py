"""Cameras, panel, clock, deals and files: adapters that hold no decision of play."""
