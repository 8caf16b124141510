"""Adapters of the controller: cameras, panel, clock, deals and files. They decide nothing about play."""
