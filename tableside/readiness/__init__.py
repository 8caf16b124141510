"""Readiness of a table that the hall's computer serves: its cameras' views, its enrolled sets, and a trial of four draws."""
