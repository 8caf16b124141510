"""Threads that take frames from cameras and post the results of readers and decoders."""
