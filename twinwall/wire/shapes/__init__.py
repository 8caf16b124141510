"""Shapes that programs of one hall exchange over HTTP and WebSockets; sender and receiver use the same class."""
