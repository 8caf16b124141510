"""Phones of a table as cameras, keys and builder's screens, admitted by codes; the table's programs reach them on loopback."""
