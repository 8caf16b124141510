"""What an event has on paper: PDF files made of templates on the server."""
