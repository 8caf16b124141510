"""Sweep: finds every tile that lies anywhere on the mat in one frame from above."""
