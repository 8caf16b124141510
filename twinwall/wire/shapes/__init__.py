"""Shapes that programs of one hall exchange over HTTP and WebSockets: each is written, sent and decoded as one class."""
