"""The simulated players: they see what a person at that place sees, decide by it alone, and act through the world."""
