"""A released deal, step by step: what each table did, what each seat waited for, and what else was legal."""
