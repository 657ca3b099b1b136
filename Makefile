# make demo, make test, make test-window, make bench, make zip: each sets itself up in .venv; needs make, git and Python 3.11 or 3.13.
# PYTHON=/path/to/python picks another one.

SHELL := /bin/sh
PYTHON :=
VENV := .venv
RUN := $(VENV)/bin/python

# Compiled kernels stay here between runs, away from the user's own cache.
export FLOTSAM_KERNEL_CACHE := $(CURDIR)/$(VENV)/kernels

.PHONY: demo test test-alone test-rest test-window window bench zip setup
.DEFAULT_GOAL := demo
.NOTPARALLEL:

demo: setup
	@$(RUN) -m flotsam demo

# First what measures time, by itself, and then the rest in two processes; both run even if the first fails.
test: setup
	@$(MAKE) --no-print-directory --keep-going test-alone test-rest

test-alone: setup
	@$(RUN) -m pytest -m alone

test-rest: setup
	@$(RUN) -m pytest -m "not alone" -n 2 --dist loadfile --no-loadscope-reorder

test-window: setup window
	@$(RUN) -m pytest tests/window

# A Blender with a window, installed apart where this machine has none.
window:
	@sh .ci/window "$(CURDIR)/$(VENV)/window" prepare

bench: setup
	@$(RUN) -m flotsam bench

zip: setup
	@$(RUN) .ci/build_zip.py

setup:
	@sh .ci/setup "$(VENV)" "$(PYTHON)"
