"""Who may see what: login, access policy, and the scope of each viewer."""
