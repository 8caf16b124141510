"""The routes of the live pages, their streams and fragments; each sub-package has the pages about one thing."""
