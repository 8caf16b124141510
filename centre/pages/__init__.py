"""The pages of all venues: the same for everybody, rendered once after a change and published as files."""
