"""The replay of a released deal, as a served page and as one file that needs no network."""
