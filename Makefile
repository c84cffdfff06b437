# The two commands to know: `make demo` and `make test`. Both set up what they need first.
.PHONY: demo test test-python wheel python-package paper fuzz bench bench-python format lint install \
  setup clean
PREFIX ?= /usr/local
pytest = build/venv/bin/python -m pytest -q -n 2 -p no:cacheprovider
sources = $(shell git ls-files '*.cpp' '*.h')

demo: build/release/build.ninja
	cmake --build --preset release --target evenhand_tool
	./build/release/bin/evenhand demo -o build/demo

test: build/release/build.ninja build/asan/build.ninja build/tsan/build.ninja
	@tools/setup.sh clang-14 libclang-rt-14-dev groff-base locales strace
	@tools/python_env.sh build/venv tests/requirements.txt
	cmake --build --preset release
	ctest --preset release
	EVENHAND_TEST_ALL=1 EVENHAND=$(CURDIR)/build/release/bin/evenhand $(pytest) tests/cli
	cmake --build --preset asan
	ctest --preset asan
	cmake --build --preset tsan
	ctest --preset tsan
	fuzz/run.sh . build/fuzz 60
	$(MAKE) test-python

# The package as its users get it: a wheel in an environment without the sources. Only the clean
# environment has tests; the other keeps what builds, so that building again takes seconds.
python = $(CURDIR)/build/python-venv/bin/python
wheel: | setup
	@tools/python_env.sh build/python-build python/requirements-build.txt
	rm -rf build/wheel
	EVENHAND_WERROR=ON CMAKE_BUILD_PARALLEL_LEVEL=2 build/python-build/bin/python -m pip wheel . \
	  --no-deps --no-build-isolation -w build/wheel

python-package: wheel
	@tools/python_env.sh build/python-venv python/requirements-test.txt
	$(python) -m pip install --quiet --force-reinstall --no-deps build/wheel/evenhand-*.whl

test-python: build/release/build.ninja python-package
	cmake --build --preset release --target evenhand_tool
	$(python) -m ruff check python examples
	$(python) -m ruff format --check python examples
	cd build && $(python) -m mypy --config-file $(CURDIR)/pyproject.toml --strict -p evenhand
	cd build && $(python) -m mypy --config-file ../examples/mypy.ini ../examples/adult/*.py
	$(python) tests/calibration/make.py --check
	EVENHAND_TEST_ALL=1 SCIPY_ARRAY_API=1 EVENHAND=$(CURDIR)/build/release/bin/evenhand $(python) \
	  -m pytest -q -n 2 -p no:cacheprovider --import-mode=append python/tests

# The paper's experiment on Adult: writes docs/paper-results.md, docs/paper/ and build/paper/.
paper: wheel
	@tools/python_env.sh build/paper-venv examples/adult/requirements.txt
	build/paper-venv/bin/python -m pip install --quiet --force-reinstall --no-deps build/wheel/evenhand-*.whl
	build/paper-venv/bin/python examples/adult/paper.py

# As long as you like: make fuzz SECONDS=3600
SECONDS ?= 600
fuzz:
	@tools/setup.sh clang-14 libclang-rt-14-dev
	fuzz/run.sh . build/fuzz $(SECONDS)

bench: build/release/build.ninja
	cmake --build --preset release --target evenhand_bench evenhand_tool_bench evenhand_tool
	./build/release/bench/evenhand_bench
	./build/release/bench/evenhand_tool_bench build/release/bin/evenhand build/bench
	$(MAKE) bench-python

# Beside Fairlearn and error-parity; whatever takes them more than a minute too:
# make bench-python ALL=--all
bench-python: python-package
	$(python) bench/python_bench.py $(ALL)

install: build/release/build.ninja
	cmake --build --preset release
	cmake --install build/release --prefix $(PREFIX)

build/%/build.ninja: | setup
	cmake --preset $*

setup:
	@tools/setup.sh

format:
	@tools/setup.sh clang-format-14
	clang-format-14 -i $(sources)

lint: build/release/build.ninja
	@tools/setup.sh clang-format-14 clang-tidy-14
	clang-format-14 --dry-run -Werror $(sources)
	git ls-files 'src/*.cpp' 'cli/*.cpp' | xargs -n 1 -P 2 clang-tidy-14 --quiet -p build/release \
	  --extra-arg=-Wno-unknown-warning-option

clean:
	rm -rf build
