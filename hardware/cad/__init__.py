"""Overhead arm, reading gates, panel and chutes as solids: parts for a workshop or a printer, and checks of what the camera sees."""
