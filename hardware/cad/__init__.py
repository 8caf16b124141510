"""The overhead arm as solids: parts for a workshop, and checks of what the camera sees."""
