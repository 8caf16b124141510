"""Enrolment of a tile set, and evaluation of the reader on labelled crops."""
