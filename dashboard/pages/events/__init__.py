"""The page on which directors begin, open and leave the events of a hall."""
