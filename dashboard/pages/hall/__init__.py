"""Pages about all tables: the hall, the list of calls, the projector's slides."""
