"""The overhead arm and the reading gate as solids: parts for a workshop or a printer, and checks of what the camera sees."""
