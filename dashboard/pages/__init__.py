"""Routes, live streams and the fragments that the pages are made of."""
