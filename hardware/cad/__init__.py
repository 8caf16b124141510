"""Overhead arm, reading gate and panel as solids: parts for a workshop or a printer, and checks of what the camera sees."""
