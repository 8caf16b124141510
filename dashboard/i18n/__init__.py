"""The texts of the pages in English, Japanese and simplified Chinese."""
