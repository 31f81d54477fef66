# The commands of the project. Each one sets up what it uses, so start with `make demo` or `make test`.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

# The lowest releases that pyproject.toml admits (a test holds the two together).
FLOORS := gymnasium==1.0.0 pettingzoo==1.25.0 numpy==2.0.0 numba==0.61.0 safetensors==0.4.0

# `make demo SHORT=1`: the same steps in about a minute, too few deals to prove anything.
DEMO_CONFIG := configs/$(if $(SHORT),smoke,demo).yaml
DEMO_DEALS := $(if $(SHORT),500,10000)
DEMO_RUN := runs/$(if $(SHORT),smoke,demo)

# euchre-train in two processes, one on each core; their number belongs to the settings of a run.
TORCHRUN := OMP_NUM_THREADS=1 $(BIN)/torchrun --standalone --nproc-per-node 2 -m -- euchre_train.cli

.DEFAULT_GOAL := help
.PHONY: help setup demo quick train test fuzz peers lint types coverage floors newest bench reference results sayings tune leaderboard picture clean

help:  ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY)  ## Create .venv with all dependencies, at pinned versions (the other commands do this when needed)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY)  ## Train an agent from nothing, then measure it and the shipped one (under 10 minutes; SHORT=1: about one)
	rm -rf $(DEMO_RUN)
	$(BIN)/euchre-train --config $(DEMO_CONFIG) --run $(DEMO_RUN)
	$(BIN)/euchre-eval match $(DEMO_RUN) random --deals $(DEMO_DEALS)
	$(BIN)/euchre-eval match ppo random --deals $(DEMO_DEALS)
	$(BIN)/euchre-eval match $(DEMO_RUN) rules --deals $(DEMO_DEALS)
	$(BIN)/euchre-eval match ppo rules --deals $(DEMO_DEALS)

quick: $(READY)  ## Train for about 15 minutes on two cores, measure the agent, and draw its curve
	rm -rf runs/quick
	$(TORCHRUN) --config configs/quick.yaml --run runs/quick
	$(BIN)/euchre-train plot runs/quick
	$(BIN)/euchre-eval match runs/quick rules --deals 100000

train: $(READY)  ## Train the shipped agent from nothing, on two cores for some hours (stopped, it goes on from there)
	if [ -e runs/ppo ]; then $(TORCHRUN) --resume runs/ppo; else $(TORCHRUN) --config configs/ppo.yaml --run runs/ppo; fi

test: $(READY)  ## Run every test and docstring example
	$(BIN)/pytest --numprocesses 2

lint: $(READY)  ## Check style, formatting, spelling, YAML, TOML and the size of files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	files=$$(git ls-files) && $(BIN)/codespell $$files
	files=$$(git ls-files '*.yaml' '*.yml' '*.cff') && $(BIN)/check-yaml $$files
	files=$$(git ls-files '*.toml') && $(BIN)/check-toml $$files
	files=$$(git ls-files | grep -v '/policy\.safetensors$$') && $(BIN)/check-added-large-files --enforce-all --maxkb=500 $$files

types: $(READY)  ## Check types
	$(BIN)/pyright

coverage: $(READY)  ## Measure which lines of euchre_env the tests run (uncompiled; at least 95 %)
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest --numprocesses 2 -m 'not compiled'
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

floors: .venv-floors/.ready  ## Test the game and its environments on the lowest supported releases
	.venv-floors/bin/pytest --numprocesses 2 tests euchre_env

.venv-floors/.ready: pyproject.toml constraints.txt Makefile
	$(PYTHON) -m venv .venv-floors
	grep -v $(foreach pin,$(FLOORS) llvmlite==,-e '^$(firstword $(subst ==, ,$(pin)))==') constraints.txt > .venv-floors/constraints.txt
	.venv-floors/bin/pip install --quiet --constraint .venv-floors/constraints.txt --editable '.[eval,render,test]' $(FLOORS)
	@touch $@

newest:  ## Test the game and its environments on the newest releases that pyproject.toml admits
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/pip install --quiet --upgrade --upgrade-strategy eager --editable '.[eval,render,test]'
	.venv-newest/bin/pip list --format freeze
	.venv-newest/bin/pytest --numprocesses 2 tests euchre_env

fuzz: $(READY)  ## Try the parsers of games and of deal texts with broken texts for five minutes (FUZZ_SEED=n: other texts)
	FUZZ_SECONDS=150 $(BIN)/pytest tests/test_fuzzed_parsers.py

peers: .venv-masked-ppo/.ready  ## Create the environment of MaskablePPO, which `make bench` measures and `make test` then tests

bench: $(READY) .venv-masked-ppo/.ready  ## Measure decisions per second beside peers (JSON=file: writes them too; BASELINE=checkout: a peer)
	$(BIN)/python benchmarks/run.py --masked-ppo .venv-masked-ppo/bin/python $(if $(BASELINE),--baseline $(BASELINE)) $(if $(JSON),--json $(JSON))

.venv-masked-ppo/.ready: pyproject.toml constraints.txt requirements/masked_ppo.txt
	$(PYTHON) -m venv .venv-masked-ppo
	.venv-masked-ppo/bin/pip install --quiet --constraint constraints.txt --requirement requirements/masked_ppo.txt --editable .
	@touch $@

reference: $(READY)  ## Write docs/reference.md from the code
	$(BIN)/python -m euchre_env.reference > docs/reference.md

results: $(READY)  ## Measure what docs/results.md shows and is not recorded yet, and write it (REDO=name: measure that again)
	$(BIN)/python -m report $(if $(REDO),--redo $(REDO))

sayings: $(READY)  ## Measure the sayings of docs/sayings.md that are not recorded yet, and write it (REDO=name: measure that again)
	$(BIN)/python -m report.sayings $(if $(REDO),--redo $(REDO))

tune: $(READY)  ## Sweep the numbers of the rule player again, and write docs/rules_tuned.md
	$(BIN)/euchre-eval tune-rules --pairs 40000 --out docs

leaderboard: $(READY)  ## Play the tournament of configs/leaderboard.yaml, or the rest of it, and write docs/leaderboard.md
	$(BIN)/euchre-eval tournament --config configs/leaderboard.yaml --out runs/leaderboard --page docs/leaderboard.md

picture: $(READY)  ## Draw docs/images/table.png
	$(BIN)/python docs/images/make_table_picture.py

clean:  ## Remove what the commands above have made, virtual environments too, but not runs/, where trainings are
	rm -rf .venv .venv-floors .venv-masked-ppo .venv-newest build dist .coverage .coverage.* .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
