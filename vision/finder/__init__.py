"""Finds tiles anywhere in a picture of a table, without a mat: where they are and how they stand, not which kind they are."""
