"""The feeder's wiring as a source: net list, rules, lists for who builds it, and drawings."""
