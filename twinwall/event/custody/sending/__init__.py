"""What leaves a vault: messages to tables, shares, slips, announcements of keys, and sentences for people."""
