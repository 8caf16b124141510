"""What many people see of all tables: the hall, the list of calls, the projector's slides."""
