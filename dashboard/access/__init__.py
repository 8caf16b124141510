"""Who may see what: logging in, the access policy, and the scope that a viewer is given."""
