"""Phones of a table: cameras, keys and builder's screens in browsers, let in by codes; the table's programs reach them on loopback."""
