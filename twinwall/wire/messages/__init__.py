"""Messages beside events: commands, rulings, statements, sealed deals, notices, and their signatures."""
