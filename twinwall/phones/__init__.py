"""Phones of a table: cameras and keys in browsers, let in by codes; the table's programs reach them on loopback."""
