# Every target makes this machine ready by itself; scripts/setup says how.
#   make demo TWINWALL="--fast --seed 1"    make test PYTEST="tests/game -q"
TWINWALL =
PYTEST =

.PHONY: help setup demo test check pictures
help:
	@echo "make demo    one virtual table builds a wall and plays a hand, live on a page"
	@echo "make test    every check and every test"
	@echo "make setup   only make this machine ready; then .venv/bin/twinwall is the front door"
	@echo "make check   ruff and mypy without the tests"
	@echo "make pictures   the documents' pictures, from the running program"

setup:
	@scripts/setup run

demo: setup
	@.venv/bin/twinwall demo $(TWINWALL)

test:
	@scripts/setup test
	@scripts/check all $(PYTEST)

check:
	@scripts/setup test
	@scripts/check static

pictures:
	@scripts/setup test
	@.venv/bin/python -m scripts.pictures
