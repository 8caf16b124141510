"""Commands of the rules: score, settle, rules, replay."""
