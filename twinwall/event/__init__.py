"""Events over several tables: seats, comparison of results, and standings."""
