"""A released deal as steps that can be looked at one by one: what each table did, what each seat waited for, what else was legal."""
