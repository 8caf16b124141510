"""Commands of one table and of the hall's processes: table, station, dashboard, broker, simulate, service."""
