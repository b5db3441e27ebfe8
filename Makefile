# Every target works in the virtual environment $(VENV) and makes it when it is missing.
# Variables: PYTHON (interpreter to make it with), VENV, PROFILE (lite or gpu), P ("-p name=value ..."), ONLY, FORCE, PAIRS, PORT.

PYTHON ?= python3
VENV ?= .venv
PROFILE ?= lite
P ?=
PARAMS ?=
ONLY ?=
FORCE ?=
PAIRS ?=
PORT ?= 8000
CHROMIUM ?=
TESTS ?= tests
WORKERS ?= 2
ARGS ?=
CAPTIONS ?=
NAME ?=
BENCHMARK ?=
EXAMPLE ?=

PY := "$(VENV)/bin/python"
STAMP := $(VENV)/posh-lite.stamp
HTML := book/_build/html

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup test test-judges test-rl book pdf proof test-notebooks strip check lint types check-extras check-notebooks bench reproduce doctor model serve readme lock gpu-env clean distclean

help: ## Show this list
	@echo "posh-lite: make TARGET [VARIABLE=value]"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  make book P=\"-p n_resamples=500\" sets a notebook's parameter; PROFILE=gpu asks for the paper's setting;"
	@echo "  ONLY=03 runs one notebook; FORCE=1 runs it even where nothing changed; PYTHON=python3.12 picks the interpreter."

setup: $(STAMP) ## Make the environment: default install, book and development tools
	@echo "environment: $(VENV) ($$($(PY) -c 'import platform; print("Python", platform.python_version())'))"

# Installs again only where pyproject.toml, the pins or the interpreter changed in content, not merely in date.
$(STAMP): pyproject.toml requirements/constraints.txt scripts/make_env.py
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { \
	  echo "error: no interpreter '$(PYTHON)'; install Python 3.11 or newer, or name one: make setup PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" scripts/make_env.py "$(VENV)" "$(STAMP)"

test: $(STAMP) ## Run the test suite (TESTS=tests/test_text.py, ARGS="-k name", WORKERS=2)
	@$(PY) -m pytest -q -n $(WORKERS) --dist worksteal $(TESTS) $(ARGS)

test-judges: ## Test the language-model judges in .venv-judges and record the outcome (VLLM=1 or VLLM=cpu adds vLLM)
	@"$(PYTHON)" scripts/judges_env.py --vllm $(if $(VLLM),$(if $(filter cpu,$(VLLM)),cpu,gpu),none) $(ARGS)

test-rl: ## Test rewards and trainings in the real TRL in .venv-rl and record the outcome
	@"$(PYTHON)" scripts/rl_env.py $(ARGS)

book: $(STAMP) ## Run the notebooks that changed and build the book (PROFILE, P, ONLY, FORCE)
	@$(PY) -m posh_lite.book build --profile $(PROFILE) $(P) $(PARAMS) $(if $(ONLY),--only $(ONLY)) $(if $(FORCE),--force)
	@echo "book: $$($(PY) -c 'from pathlib import Path; print(Path("$(HTML)/index.html").resolve().as_uri())')"

pdf: $(STAMP) ## Print the built book as one PDF (needs Chromium or Chrome; CHROMIUM=/path/to/it)
	@$(PY) -m posh_lite.book pdf $(if $(CHROMIUM),--chromium "$(CHROMIUM)")

proof: ## Look at every page of the built book in Chromium: console, links, alt text, contrast, phone, axe-core (CHROMIUM)
	@CHROMIUM="$(CHROMIUM)" "$(PYTHON)" scripts/proof.py $(ARGS)

test-notebooks: $(STAMP) ## Run every notebook with one more setting than its own, of book/trials.toml (ONLY)
	@$(PY) -m posh_lite.book try $(if $(ONLY),--only $(ONLY))

strip: $(STAMP) ## Take the outputs out of the notebooks before a commit
	@$(PY) -m posh_lite.book strip

check: lint types check-notebooks check-extras ## Lint, types, stripped notebooks and resolver dry runs

lint: $(STAMP) ## Lint with ruff
	@$(PY) -m ruff check .

types: $(STAMP) ## Check types with mypy
	@$(PY) -m mypy

check-notebooks: $(STAMP) ## Check that notebooks are committed without outputs
	@$(PY) -m posh_lite.book strip --verify

check-extras: $(STAMP) ## Resolve every extra and environment.yml without installing (needs the network)
	@$(PY) scripts/check_extras.py $(ARGS)

bench: $(STAMP) ## Pairs per second of the lexical judge, and where the time goes (PAIRS=file.jsonl)
	@$(PY) -m posh_lite.cli bench $(PAIRS) $(ARGS)

reproduce: $(STAMP) ## Run the recorded evaluations again and say which figures still come out (ARGS="--benchmark mini")
	@$(PY) -m posh_lite.cli reproduce $(ARGS)

doctor: $(STAMP) ## Say what is installed, which judges can run, and how to get the rest
	@$(PY) -m posh_lite.cli doctor

model: $(if $(CAPTIONS)$(EXAMPLE),$(STAMP)) ## Score and diagnose a model's captions on a page (CAPTIONS=my.jsonl NAME=my-model BENCHMARK=mini EXAMPLE=1)
	@$(if $(CAPTIONS)$(EXAMPLE),:,echo "usage: make model CAPTIONS=my.jsonl NAME=my-model, or make model EXAMPLE=1" >&2; exit 2)
	@$(PY) -m posh_lite.cli model $(if $(CAPTIONS),"$(CAPTIONS)") $(if $(NAME),--name "$(NAME)") $(if $(BENCHMARK),--benchmark "$(BENCHMARK)") $(if $(EXAMPLE),--example) $(ARGS)

serve: $(STAMP) ## Serve the built book on this machine (PORT=8000)
	@test -f "$(HTML)/index.html" || { echo "error: no book yet; run: make book" >&2; exit 1; }
	@echo "open http://127.0.0.1:$(PORT)/ (stop with Ctrl-C)"
	@$(PY) -m http.server --bind 127.0.0.1 --directory "$(HTML)" $(PORT)

readme: $(STAMP) ## Renew the outputs and the picture in README.md
	@$(PY) scripts/readme.py

lock: $(STAMP) ## Renew requirements/constraints.txt from the registry (then run the tests)
	@$(PY) scripts/check_extras.py --lock

gpu-env: ## Make the conda environment of the full GPU setting, Maverick included
	@command -v conda >/dev/null 2>&1 || { echo "error: conda is not installed" >&2; exit 1; }
	conda env create -f environment.yml
	conda run -n posh-lite python -m pip install --no-deps -r requirements/maverick.txt

clean: ## Remove what the book and the checks built
	@rm -rf book/_build book/chapters .cache build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find posh_lite tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the environment too
	@rm -rf "$(VENV)"
