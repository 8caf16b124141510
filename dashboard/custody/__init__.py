"""The server's end of the vaults: orders to them, and the making of the event's deals."""
