"""The host's side of TWF: the link's states, its handshake, its operations and what it tells its user."""
