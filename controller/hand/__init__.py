"""The hand at the table: draw gates, calls, table observations, referee."""
