"""The pages of a club's own site: the results of an event as files that need no server."""
