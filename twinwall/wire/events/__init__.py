"""The events of a table, and the definitions from which lines, schemas and the reference page follow."""
