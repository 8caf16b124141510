"""Seeing tiles: cameras, the gate's reader, the mat's reader, and the training of the model behind both.

What is seen leaves this room as reads with calibrated probabilities or as refusals with reasons; what
follows from them is for the controller. Nothing here keeps or sends a frame.
"""
