"""Released deals: a deal's page, the standings, and their charts."""
