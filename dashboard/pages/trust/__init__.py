"""What is proved of an event, and how anybody checks it."""
