"""Mutants of the firmware's C source: one replacement each, or two that make one fault, and the rules that it breaks."""
