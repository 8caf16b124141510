"""Rule sets for tests only: a test adds this folder to where rule sets are found."""
