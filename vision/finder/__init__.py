"""Finder: finds tiles anywhere in a picture of a table, without a mat: their places and how they stand, but not their kinds."""
