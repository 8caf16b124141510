"""Stages of the machine as solids: parts for a workshop or a printer, and checks of what the camera sees."""
