"""The commands about rules and hands: score, settle, rules."""
