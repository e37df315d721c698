# The two that matter: `make play` and `make test`. Both make their own Python environment in .venv.
.DEFAULT_GOAL := help
.PHONY: help play test lint format lock upgrade clean
PY := .venv/bin/python
# pip leaves compiling to the first import, which is faster, but only when Python may keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE
COMPILE := --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --quiet

help: ## list what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 17

play: ## serve the games on http://127.0.0.1:8000 (PORT=... for another port)
	@./environment.sh requirements.txt
	@exec $(PY) manage.py play

test: ## check and run all tests, on SQLite and on PostgreSQL (REQUIRE_ALL=1: a part that cannot run is a failure)
	@./environment.sh requirements-dev.txt
	@exec $(PY) -m tests

lint: ## check style and types
	@./environment.sh requirements-dev.txt
	@exec $(PY) -m tests lint

format: ## format the code, and mend what can be mended by itself
	@./environment.sh requirements-dev.txt
	$(PY) -m ruff format
	$(PY) -m ruff check --fix

lock: ## bring the lock files up to date with pyproject.toml; versions stay where they can
	@./environment.sh requirements-dev.txt
	@command -v uv >/dev/null || $(PY) -m uv --version >/dev/null 2>&1 || $(PY) -m pip install --quiet uv
	@uv=$$(command -v uv || echo .venv/bin/uv); \
	"$$uv" pip compile $(COMPILE) $(UPGRADE) pyproject.toml -o requirements.txt >/dev/null && \
	"$$uv" pip compile $(COMPILE) $(UPGRADE) --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt >/dev/null

upgrade: ## the same, with the newest version of every package
	@$(MAKE) --no-print-directory lock UPGRADE=--upgrade

clean: ## remove .venv and what tools left behind; the data in var/ stays
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
