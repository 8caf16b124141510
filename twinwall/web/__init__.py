"""The HTTP server of all pages and programs, and its limits."""
