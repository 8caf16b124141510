# Every target makes this machine ready by itself; scripts/setup says how.
#   make demo TWINWALL="--seed 1"    make test PYTEST="tests/game -q"
# Without --fast motors and people take the time they take at a real table: two hours a session.
TWINWALL = --fast
PYTEST =

.PHONY: help setup demo test quick nightly attack check rehearse pictures package image firmware firmware-check flash
help:
	@echo "make demo    four virtual tables play the same sixteen deals, live on a page, and are compared in IMP"
	@echo "make test    every check and every test that a change must pass; PYTEST=... chooses tests"
	@echo "make quick   lint, types and the tests that start no process, in about a minute"
	@echo "make nightly make test with many more random hands and examples, and what takes hours"
	@echo "make attack  list the attacks of docs/reference/attacks.md; N=3 carries one out, without its defence and with it"
	@echo "make rehearse  a centre with venues on this machine, on real brokers and databases, parts of it killed; REHEARSE=... says which"
	@echo "make setup   only make this machine ready; then .venv/bin/twinwall runs the program"
	@echo "make check   ruff, mypy and the firmware's analysis, without the tests"
	@echo "make firmware   the feeder's microcontroller program: for this computer, for the board, and the board's emulator"
	@echo "make firmware-check   its static analysis, and a minute of random bytes against it"
	@echo "make flash PORT=...   put it on a feeder's board; RECORD=table.eep also tells the board which table it is built into"
	@echo "make package the Debian package and the wheels of this commit, in dist"
	@echo "make image   disk images of a hall (PC) and a table (Raspberry Pi), in dist, as root; IMAGE=hall makes one"
	@echo "make pictures   the documents' pictures, from the running program"

setup:
	@scripts/setup run

demo: setup
	@.venv/bin/twinwall demo $(TWINWALL)

test quick nightly:
	@scripts/setup test
	@scripts/check $@ $(PYTEST)

attack:
	@scripts/setup test
	@.venv/bin/python -m tools.attack $(N)

# What to kill, and how much: make rehearse REHEARSE="--venues 10 --tables 40 --kill consumer-1"
REHEARSE = --nodes 3 --databases 2 --kill rabbitmq-1@0.2 --kill consumer-1@0.4 --kill nginx-1+publisher-1@0.5 --kill postgresql-1@0.6 --kill venue-1+gateway-2@0.8
rehearse:
	@scripts/setup rehearse
	@.venv/bin/python -m tools.rehearsal $(REHEARSE)

check:
	@scripts/setup test
	@scripts/check static

firmware:
	@scripts/setup firmware
	@$(MAKE) --no-print-directory -C firmware

firmware-check:
	@scripts/setup firmware
	@$(MAKE) --no-print-directory -C firmware check fuzz

# The board's own bootloader, unless PROGRAMMER names another programmer of avrdude's.
PROGRAMMER = wiring
flash:
	@scripts/setup flash
	@$(MAKE) --no-print-directory -C firmware flash PORT="$(PORT)" PROGRAMMER="$(PROGRAMMER)" RECORD="$(abspath $(RECORD))"

package:
	@scripts/setup run
	@.venv/bin/python -m tools.package --out dist

IMAGE = hall table
image:
	@scripts/setup image
	@.venv/bin/python -m tools.image $(IMAGE) --out dist

pictures:
	@scripts/setup test
	@.venv/bin/python -m tools.pictures
