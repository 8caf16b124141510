"""Attacks from the network: the broker, the web server, the login."""
