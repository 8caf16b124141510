"""The pages on which an event is set up."""
