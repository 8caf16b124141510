"""Attacks with a changed file in the hands of whoever trusts it: a scale, a program release, an installer."""
