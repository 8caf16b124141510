"""``python -m tools.rule_pages``."""

from tools.rule_pages import write

write()
