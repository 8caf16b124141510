"""A demo under test, and people who look at its pages."""
