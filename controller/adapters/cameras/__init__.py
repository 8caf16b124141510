"""Threads that ask cameras for frames and post what readers and decoders make of them."""
