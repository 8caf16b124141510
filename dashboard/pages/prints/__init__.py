"""The page of prints, and the routes of the files that it lists."""
