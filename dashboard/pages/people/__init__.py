"""Forms for what people order of the event: accounts of the staff, and the withdrawal of a table."""
