# The two commands of the README: `make demo` and `make test`. Everything is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# What is installed is pinned by name and version; where it comes from is the machine's own setting.
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

# The tests of the report drive a real browser: one of these, as in tests/browser.py, installed where there is none.
BROWSERS := chromium chromium-browser google-chrome chrome
# What is missing is installed without a question; who may not install gets told what to install.
SUDO := $(shell [ "$$(id -u)" = 0 ] || ! command -v sudo >/dev/null || echo sudo -n)
APT_GET := $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get

.PHONY: demo test check bench docs browser postgres clean

demo: $(INSTALLED)
	$(BIN)/assay demo --output assay-demo.html
	@echo
	@echo "Judge documents and run projects in the browser: $(BIN)/assay serve --demo"

# Checks and documentation take a core each; what is compiled is kept, since many tests start processes; each core takes
# a run of files, so that what the tests of a file share is made once, and then tests that the other has left.
test: browser postgres $(INSTALLED_DEV)
	env -u PYTHONDONTWRITEBYTECODE $(MAKE) --no-print-directory -j2 check docs
	ASSAY_BROWSER=required ASSAY_POSTGRES=required env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal

check: $(INSTALLED_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(INSTALLED_DEV)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs: docs/_build/html/index.html"

browser:
	@for name in $(BROWSERS); do command -v $$name >/dev/null && exit 0; done; \
	{ command -v apt-get >/dev/null && $(APT_GET) update -qq && $(APT_GET) install -y -qq chromium; } || \
	{ echo "make test needs a browser: install Chromium or Chrome (one of $(BROWSERS) on the path)" >&2; exit 1; }

# A database server for the tests of the store, which start one of their own on a free port; none is left running.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
	{ command -v apt-get >/dev/null && $(APT_GET) update -qq && $(APT_GET) install -y -qq postgresql; } || \
	{ echo "make test needs PostgreSQL: install its server (initdb and pg_ctl)" >&2; exit 1; }

bench: $(INSTALLED_DEV)
	$(BIN)/python -m benchmarks --write
	$(BIN)/python -m benchmarks.significance --write
	$(BIN)/python -m benchmarks.classifiers --write
	$(BIN)/python -m benchmarks.clusterings --write
	$(BIN)/python -m benchmarks.pools --write
	$(BIN)/python -m benchmarks.clicks --write
	$(BIN)/python -m benchmarks.crowds --write
	$(BIN)/python -m benchmarks.store --write
	$(BIN)/python -m benchmarks.workbench --write
	$(BIN)/python -m benchmarks.abtests --write

clean:
	rm -rf $(VENV) .venv-peers .venv-crowds .venv-clax .venv-tea docs/_build docs/measures docs/pictures docs/cli.md benchmarks/data assay-demo.html

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || \
	{ command -v apt-get >/dev/null && $(APT_GET) update -qq && $(APT_GET) install -y -qq python3-venv && \
	$(PYTHON) -m venv $(VENV); } || { echo "$(PYTHON) cannot make a virtual environment: install venv for it" >&2; exit 1; }

$(INSTALLED): $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt --upgrade pip
	$(PIP) install -c constraints.txt -e '.[report,web]'
	$(BIN)/python -m compileall -q src
	touch $@

$(INSTALLED_DEV): $(INSTALLED)
	$(PIP) install -c constraints.txt -e '.[all]' --group dev
	touch $@
