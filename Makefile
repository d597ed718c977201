# Thin: one command a target. Everything a target needs is installed by it.
PYTHON ?= python3.13
ARGS ?=
BIN := .venv/bin
SAM := .venv-sam/bin/sam

.DEFAULT_GOAL := help
.PHONY: help install demo kubernetes test test-cluster isolation loosen check bench build schemas security least-privilege test-focus clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: .venv/.installed .venv-sam/.installed ## the two environments

.venv/.installed: requirements-dev.txt constraints.txt pyproject.toml $(wildcard layers/*/requirements.txt)
	@echo "Installing the tools into .venv (about half a minute the first time) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv-sam/.installed: requirements-sam.txt
	@echo "Installing the SAM CLI into .venv-sam (about half a minute the first time) ..."
	@test -x .venv-sam/bin/python || $(PYTHON) -m venv .venv-sam
	@.venv-sam/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-sam.txt
	@touch $@

demo: install ## one morning of a company, on this machine; KUBERNETES=real for the real Kueue
	@$(BIN)/python -m cli.demo $(KUBERNETES)

kubernetes: install ## the real Kubernetes with Kueue, built once for all checkouts (15 minutes)
	@$(BIN)/python -m local.controlplane.build

test: install ## the tests; ARGS="-k id_03" hands arguments to pytest
	@$(BIN)/pytest $(ARGS)

.venv-focus/.installed: requirements-focus.txt
	@echo "Installing the FOCUS validator into .venv-focus (about a minute the first time) ..."
	@test -x .venv-focus/bin/python || $(PYTHON) -m venv .venv-focus
	@.venv-focus/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-focus.txt
	@touch $@

test-focus: install .venv-focus/.installed ## the FOCUS export before the public validator
	@PYTHONPATH=functions:. $(BIN)/python -m tests.focus

test-cluster: kubernetes ## stories, contract and isolation on a real Kubernetes; ARGS as above
	@COMMONS_TEST_KUBERNETES=real $(BIN)/pytest -n 2 tests/cluster tests/stories tests/contract $(ARGS)

isolation: kubernetes ## docs/isolation.json anew, from what a real Kubernetes answers; then make security
	@COMMONS_TEST_KUBERNETES=real COMMONS_REWRITE=isolation $(BIN)/pytest -n 0 tests/cluster/isolation

loosen: kubernetes ## each rule of roles and policies loosened on a running cluster: a row must notice
	@$(BIN)/python -m tests.cluster.isolation.loosen $(ARGS)

check: install ## style, types, import contracts, template
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@PYTHONPATH=functions $(BIN)/lint-imports
	@SAM_CLI_TELEMETRY=0 $(SAM) validate --lint

bench: install ## the promised ratios, measured in one run
	@$(BIN)/python -m bench

build: install ## what is deployed
	@SAM_CLI_TELEMETRY=0 $(SAM) build

schemas: install ## the published JSON Schemas, the description of the HTTP API, and the page of finance's rules
	@$(BIN)/python -m cli.schemas
	@$(BIN)/python -m cli.openapi
	@$(BIN)/python -m cli.finance_rules

security: install ## the tables of docs/security.md, from what the code enforces
	@$(BIN)/python -m cli.security

least-privilege: install ## each permission shown to be needed; ARGS="--role ReadTeamFunction" for one role
	@$(BIN)/python -m tests.least_privilege $(ARGS)

clean: ## everything that was built or installed here
	@rm -rf .venv .venv-sam .venv-focus .aws-sam
