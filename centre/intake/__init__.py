"""What a venue's messages lead to at the centre, without any I/O."""
