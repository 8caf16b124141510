"""The events of a table: their definition, what each class of reader sees of them, and the reference written from it."""
