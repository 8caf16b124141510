"""Commands of an event: deals, vault, custody, compare, event."""
