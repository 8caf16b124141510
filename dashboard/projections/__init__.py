"""What the tables' events amount to, in memory: one view per table and viewer level."""
