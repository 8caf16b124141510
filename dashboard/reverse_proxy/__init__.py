"""The reverse proxy in front of gunicorn: whole requests only, TLS, and limits for each visitor."""
