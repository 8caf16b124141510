"""Enrolment of a tile set and the evaluation of the reader on labelled crops."""
