"""Trains the finder of tiles: tabletops drawn in perspective, labelled photographs, the network, and its file."""
