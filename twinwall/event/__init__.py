"""Events over several tables: who sits where, how results of one deal compare, and who leads."""
