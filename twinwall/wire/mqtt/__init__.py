"""MQTT: connection, topics, access rights, and the embedded broker."""
