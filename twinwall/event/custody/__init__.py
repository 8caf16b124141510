"""Custody: who may open a deal, and when; the seeds, the seals, and the slips that are released at the end."""
