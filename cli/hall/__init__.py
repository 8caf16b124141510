"""Commands for the hall's network: certificates and the broker's configuration."""
