"""What is proved about an event, and how anybody can check it."""
