"""Rule sets that only tests play: a test adds this folder to where rule sets are found."""
