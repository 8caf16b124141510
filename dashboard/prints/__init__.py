"""An event on paper: PDF files made from templates on the server."""
