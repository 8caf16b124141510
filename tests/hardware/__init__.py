"""Tests of the machine as a source."""
