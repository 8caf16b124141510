"""The table's physical world as a process: what hands may do, what eyes may see, and how time passes."""
