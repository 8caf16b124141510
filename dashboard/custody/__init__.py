"""The server's end of the vaults: their orders, and the making of the event's deals."""
