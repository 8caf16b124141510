"""The state that the tables' events give, in memory: one view per table and viewer level."""
