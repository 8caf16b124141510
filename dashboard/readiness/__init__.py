"""Readiness of the hall's own tables: the servers on this computer for phones, cameras and sets, and the resulting steps."""
