# Thin, over meson and ninja. `make help` lists what there is.

BUILD = build
PREFIX ?= /usr/local
DESTDIR ?=
prefix = $(or $(PREFIX),/usr/local)
# What is installed: chorcc, chorex, libchorex.a and, where OpenSSL 3 is there, chorex-certs and libchorex-net.a; with libnats libchorex-nats.a; with SQLite or libpq chorex-sessions and
# libchorex-sqlite.a or libchorex-postgres.a.
# `ninja -C build` alone makes the unit tests too.
PRODUCTS = products

.PHONY: all help demo test check coverage format bench bench-json fuzz install clean

all: $(BUILD)/build.ninja
	@scripts/install-deps
	@ninja -C $(BUILD) --quiet $(PRODUCTS)

$(BUILD)/build.ninja:
	@scripts/install-deps
	@meson setup $(BUILD) --prefix=$(prefix)
	@echo "Compiling. The first time this takes a minute."

help:
	@echo "make             build: $(BUILD)/bin/chorcc, $(BUILD)/bin/chorex, $(BUILD)/lib/libchorex.a"
	@echo "make demo        build, then show choreographies at work; leaves a diagram and a trace to look at"
	@echo "make test        everything that is tested; ends with 'N passed, N failed'"
	@echo "make check       formatting, include rules, sizes, cppcheck"
	@echo "make coverage    how much of the runtime simulation alone executes"
	@echo "make format      format the sources"
	@echo "make bench       how fast compiler and runtime are; bench-json: the same as one JSON object per line"
	@echo "make fuzz        feed the parser and the runtime with nonsense; SECONDS=60 by default"
	@echo "make install     PREFIX=/usr/local DESTDIR="
	@echo "make clean       remove the build folders"

demo: all
	@scripts/demo $(BUILD)

test:
	@scripts/install-deps test
	@scripts/test

coverage:
	@scripts/install-deps test
	@scripts/coverage

check:
	@scripts/install-deps check
	@scripts/check

format:
	@scripts/install-deps check
	@scripts/check --format

bench: all
	@scripts/install-deps bench
	@bench/run --chorcc=$(BUILD)/bin/chorcc

bench-json:
	@$(MAKE) -s all >&2
	@scripts/install-deps bench >&2
	@bench/run --chorcc=$(BUILD)/bin/chorcc --json

SECONDS = 60
fuzz:
	@scripts/install-deps test
	@scripts/fuzz $(SECONDS)

# Configured anew only for another place: that writes to the build folder, which may not be root's.
install: all
	@grep -qxF 'prefix=$(prefix)' $(BUILD)/meson-private/chorex.pc || \
	    { meson configure $(BUILD) -Dprefix=$(prefix) && ninja -C $(BUILD) --quiet build.ninja; }
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf build build-asan build-tsan build-fuzz
