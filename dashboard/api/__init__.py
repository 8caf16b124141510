"""The API under ``/api/v1``: every operation of the event over HTTP, declared once, with its OpenAPI document."""
