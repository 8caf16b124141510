"""The page of duplicate MCR."""

from tools.rule_pages.rule_page import page_of

PAGE = page_of("mcr-duplicate", worth=lambda kind: str(kind.value))
