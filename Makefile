# make demo, make test, make test-window, make bench, make zip: each sets itself up in .venv; needs make, git and Python 3.11 or 3.13.
# PYTHON=/path/to/python picks another one.

SHELL := /bin/sh
PYTHON :=
VENV := .venv
RUN := $(VENV)/bin/python

# Compiled kernels stay here between runs, away from the user's own cache.
export FLOTSAM_KERNEL_CACHE := $(CURDIR)/$(VENV)/kernels

.PHONY: demo test test-window bench zip setup
.DEFAULT_GOAL := demo

demo: setup
	@$(RUN) -m flotsam demo

# First what measures time, by itself, and then the rest in two processes; both run even if the first fails.
test: setup
	@ended=0; $(RUN) -m pytest -m alone || ended=1; $(RUN) -m pytest -m "not alone" -n 2 --dist loadfile --no-loadscope-reorder && exit $$ended

test-window: setup
	@sh .ci/window "$(CURDIR)/$(VENV)/window" prepare
	@$(RUN) -m pytest tests/window

bench: setup
	@$(RUN) -m flotsam bench

zip: setup
	@$(RUN) .ci/build_zip.py

setup:
	@sh .ci/setup "$(VENV)" "$(PYTHON)"
