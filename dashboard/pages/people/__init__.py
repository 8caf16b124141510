"""Forms for orders by people: accounts of the staff, and the withdrawal of a table."""
