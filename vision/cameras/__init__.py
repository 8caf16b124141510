"""Cameras: the port, its adapters for files, HTTP, USB and the Pi, and the watch over them."""
