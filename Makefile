# The ways into the project; `make` alone lists them. CMake builds, the scripts in tools/ do the rest.
PYTHON ?= python3
JOBS ?= $(shell nproc)
SOAK_ROUNDS ?= 20
STRESS_ROUNDS ?= 30000
FUZZ_SECONDS ?= 20
FUZZ_TARGETS := ledger_fuzz snapshot_fuzz run_fuzz answers_fuzz
TEST_ARGS ?=
EXAM_ARGS ?=
BENCH_ARGS ?=
TREE_BENCH_ARGS ?=
GROWTH_BENCH_ARGS ?=
SNAPSHOT_BENCH_ARGS ?=
CPP_BENCH_ARGS ?=
PAGE_BENCH_ARGS ?=
ifneq ($(shell command -v ccache 2>/dev/null),)
export CMAKE_C_COMPILER_LAUNCHER ?= ccache
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
endif

SETUP := $(PYTHON) tools/setup.py
ENVS := $(PYTHON) tools/envs.py
# Configures once; later calls let Ninja decide whether CMake has to run again.
configure = test -f $(2)/build.ninja || cmake --preset $(1) >/dev/null
compile = $(call configure,$(1),$(2)) && cmake --build --preset $(1) -j $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help build dev demo wheel install docs deb test exam soak bench fuzz check format clean

help: ## list what can be made
	@echo "Tenure. Start with: make demo"
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

build: ## install what the build needs, then make build/bin/tenure
	@$(SETUP) build
	@$(SETUP) page || echo "Node.js cannot be had here; the report page is left out."
	@$(call compile,release,build)

dev: ## build with assertions and unit tests into build/dev
	@$(SETUP) build test
	@$(call compile,dev,build/dev)

demo: build ## build, then find the leak of a small NumPy program
	@$(SETUP) python
	@rm -rf build/demo.tenure
	@numpy=$$($(ENVS) path numpy) && \
	 build/bin/tenure run -o build/demo.tenure -- "$$numpy" examples/leaky_numpy.py
	@echo "The record is in build/demo.tenure; read it again with: build/bin/tenure show build/demo.tenure"

wheel: ## build the wheel for every Linux into dist/ (packaging/README.md)
	@$(SETUP) wheel page python
	@wheel=$$(JOBS=$(JOBS) $(PYTHON) packaging/build_wheel.py) && $(PYTHON) packaging/check_wheel.py "$$wheel"

install: build ## install the program, its library and the C++ library below PREFIX
	@test -n "$(PREFIX)" || { echo "make install PREFIX=DIR"; exit 2; }
	@for part in tool cpp; do cmake --install build --component $$part --prefix "$(PREFIX)" --strip >/dev/null || exit 1; done

docs: ## build the documentation as a site into build/site
	@$(SETUP) python
	@docs=$$($(ENVS) path docs) && NO_MKDOCS_2_WARNING=1 "$$docs" -m mkdocs build --quiet --strict
	@echo "build/site/index.html"

deb: build ## build a Debian package for this distribution into dist/
	@$(SETUP) wheel
	@cd build && cpack -G DEB

test: dev build ## run all tests (TEST_ARGS: see tools/run_tests.py --help)
	@$(SETUP) python wheel go rust
	@$(SETUP) browser || echo "Chromium cannot be had here; tests of the report page will be skipped."
	@$(PYTHON) tools/extra_pythons.py || echo "Newer Pythons cannot be had here; their tests will be skipped."
	@$(PYTHON) tools/run_tests.py $(TEST_ARGS)

exam: build ## grade Tenure on all programs of tests/exam (EXAM_ARGS: see tests/exam/grade.py)
	@$(SETUP) python exam
	@$(ENVS) json > build/envs.json
	@TENURE_CASE_BUILD="$(CURDIR)/build/exam-built" $(PYTHON) tests/exam/grade.py --cases tests/exam --envs build/envs.json --tenure "$(CURDIR)/build/bin/tenure" \
	  --cache build/exam-plain.json --out build/exam-results.json $(EXAM_ARGS)

soak: ## unit tests under each sanitizer, SOAK_ROUNDS times, then tests/soak
	@$(SETUP) build test python wheel soak
	@for kind in asan ubsan tsan; do \
	   (test -f build/$$kind/build.ninja || cmake --preset $$kind >/dev/null) && \
	   cmake --build --preset $$kind -j $(JOBS) && \
	   TENURE_STRESS_ROUNDS=$(STRESS_ROUNDS) ctest --test-dir build/$$kind --output-on-failure --no-tests=error --repeat until-fail:$(SOAK_ROUNDS) \
	     -j $(JOBS) || exit 1; \
	 done
	@if [ -d tests/soak ]; then tools=$$($(ENVS) path tools) && TENURE_SOAK=1 "$$tools" -m pytest tests/soak tests/users tests/pytest_plugin/test_repeats.py; fi

bench: build ## measure what Tenure costs beside plain and memray (BENCH_ARGS are passed on)
	@$(SETUP) python bench
	@$(PYTHON) bench/run.py $(BENCH_ARGS)
	@$(PYTHON) bench/tree.py $(TREE_BENCH_ARGS)
	@$(PYTHON) bench/growth.py $(GROWTH_BENCH_ARGS)
	@$(PYTHON) bench/snapshot.py $(SNAPSHOT_BENCH_ARGS)
	@$(PYTHON) bench/cpp.py $(CPP_BENCH_ARGS)
	@$(PYTHON) bench/page_view.py $(PAGE_BENCH_ARGS)

fuzz: ## feed every reader with damaged files, FUZZ_SECONDS each; fails on a crash
	@$(SETUP) build test check
	@$(call configure,fuzz,build/fuzz) && cmake --build --preset fuzz -j $(JOBS) --target $(FUZZ_TARGETS)
	@for target in $(FUZZ_TARGETS); do \
	   mkdir -p build/fuzz/corpus/$$target && \
	   build/fuzz/bin/$$target -max_total_time=$(FUZZ_SECONDS) -max_len=200000 -timeout=20 -rss_limit_mb=4096 \
	     -verbosity=0 -print_final_stats=1 -artifact_prefix=build/fuzz/ build/fuzz/corpus/$$target $$(ls -d tests/fuzz/corpus/$$target 2>/dev/null) || exit 1; \
	 done

check: build ## formatting, lint, types, layers, exports (CHECK_FAST=1 leaves clang-tidy out)
	@$(SETUP) python $(if $(CHECK_FAST),,check)
	@$(PYTHON) tools/check.py

format: ## format all C++ and Python sources
	@$(PYTHON) tools/check.py --format

clean: ## remove build/
	rm -rf build
