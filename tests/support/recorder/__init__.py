"""Observation streams of whole hands, for the recorder's tests and figures."""
