"""The table's physical world as a process: people's actions, what they see, and the clock."""
