# The two commands to know: `make demo` and `make test`. Both set up what they need first.
.PHONY: demo test test-all test-more test-release test-tool test-asan test-tsan test-full test-python \
  test-report report-env screenshot \
  wheel wheels python-package dist test-bare site api paper fuzz bench bench-python bench-warehouse \
  build-time format lint install setup clean
PREFIX ?= /usr/local
pytest = build/venv/bin/python -m pytest -q -n 2 -p no:cacheprovider
sources = $(shell git ls-files '*.cpp' '*.h')

demo: build/release/build.ninja
	cmake --build --preset release --target evenhand_tool
	./build/release/bin/evenhand demo -o build/demo

test: test-release test-tool test-asan test-python

# What `make test` leaves out: threads, oracles at full size, fuzzing, peers, the paper's experiment,
# reports in a browser, what is shipped, where there is nothing else.
test-all: test test-more
test-more: test-tsan test-full test-bare test-report

test-release: build/release/build.ninja
	cmake --build --preset release
	ctest --preset release

test-tool: build/release/build.ninja
	@tools/setup.sh groff-base locales strace zsh fish postgresql
	@tools/python_env.sh build/venv tests/requirements.txt
	cmake --build --preset release --target evenhand_tool
	EVENHAND_TEST_ALL=1 EVENHAND=$(CURDIR)/build/release/bin/evenhand $(pytest) tests/cli

test-asan test-tsan: test-%: build/%/build.ninja
	cmake --build --preset $*
	ctest --preset $*

test-full: build/release/build.ninja python-package
	@tools/setup.sh clang-14 libclang-rt-14-dev postgresql openjdk-17-jre-headless
	$(python) -m pip install --quiet -r python/requirements-spark.txt
	cmake --build --preset release
	EVENHAND_FULL_ORACLES=1 ctest --preset release -R unit
	fuzz/run.sh . build/fuzz 60
	$(python_tests) -m full python/tests

# The package as its users get it: a wheel in an environment without the sources. Only the clean
# environment has tests; the other keeps what builds, so that building again takes seconds. It links
# the library of build/release; `pip install .` compiles its own.
python = $(CURDIR)/build/python-venv/bin/python
python_tests = EVENHAND_TEST_ALL=1 SCIPY_ARRAY_API=1 \
  EVENHAND=$(CURDIR)/build/release/bin/evenhand $(python) -m pytest -q -n 2 \
  -p no:cacheprovider --import-mode=append
wheel: build/release/build.ninja
	@tools/python_env.sh build/python-build python/requirements-build.txt
	cmake --build --preset release --target evenhand
	cmake --install build/release --component library --prefix build/library
	rm -rf build/wheel
	EVENHAND_PREBUILT=$(CURDIR)/build/library EVENHAND_WERROR=ON CMAKE_BUILD_PARALLEL_LEVEL=2 build/python-build/bin/python -m pip wheel . \
	  --no-deps --no-build-isolation -w build/wheel

python-package: wheel
	@tools/python_env.sh build/python-venv python/requirements-test.txt
	$(python) -m pip install --quiet --force-reinstall --no-deps build/wheel/evenhand-*.whl

test-python: build/release/build.ninja python-package
	@tools/setup.sh postgresql
	cmake --build --preset release --target evenhand_tool
	$(python) -m ruff check python examples
	$(python) -m ruff format --check python examples
	cd build && $(python) -m mypy --config-file $(CURDIR)/pyproject.toml --strict -p evenhand
	cd build && $(python) -m mypy --config-file ../examples/mypy.ini ../examples/adult/*.py
	$(python) tests/calibration/make.py --check
	$(python) tests/rates/make.py --check
	$(python_tests) -m "not full" python/tests

# What users install, in build/wheels and build/dist: wheels of the package and of the tool, and the tool
# as a tarball. Nothing is uploaded.
wheels: wheel
	tools/ship/wheels.sh build/library build/wheels

dist: build/release/build.ninja
	@tools/setup.sh libbz2-dev liblapack-dev libblas-dev
	cmake --build --preset release --target evenhand_manual evenhand_portable
	tools/ship/dist.sh build/release build/dist

test-bare: wheels dist
	@tools/setup.sh bubblewrap
	tools/ship/bare.sh build/dist build/wheels build/bare

# The documentation as a site, in build/site; fails on a warning or a broken link.
site: build/release/build.ninja
	cmake --build --preset release --target evenhand_tool
	@tools/python_env.sh build/site-venv tools/site/requirements.txt
	NO_MKDOCS_2_WARNING=1 build/site-venv/bin/mkdocs build --quiet --strict --config-file tools/site/mkdocs.yml

# Rewrites the list of the public interface in tests/api/ (docs/stable.md).
api: build/release/build.ninja
	cmake --build --preset release --target evenhand_tool
	python3 tools/api/snapshot.py --update --tool build/release/bin/evenhand

# The paper's experiment on Adult: writes docs/paper-results.md, docs/paper/ and build/paper/.
paper: wheel
	@tools/python_env.sh build/paper-venv examples/adult/requirements.txt
	build/paper-venv/bin/python -m pip install --quiet --force-reinstall --no-deps build/wheel/evenhand-*.whl
	build/paper-venv/bin/python examples/adult/paper.py

# The page of `evenhand report` in Chromium, and its picture in README.md.
report-env: build/release/build.ninja
	@tools/setup.sh chromium fonts-dejavu-core
	@tools/python_env.sh build/report-venv tests/report/requirements.txt
	cmake --build --preset release --target evenhand_tool
test-report: report-env
	EVENHAND=$(CURDIR)/build/release/bin/evenhand build/report-venv/bin/python -m pytest -q -n 2 \
	  -p no:cacheprovider tests/report
screenshot: report-env
	build/report-venv/bin/python tests/report/screenshot.py build/release/bin/evenhand docs/report.png

# As long as you like: make fuzz SECONDS=3600
SECONDS ?= 600
fuzz:
	@tools/setup.sh clang-14 libclang-rt-14-dev
	fuzz/run.sh . build/fuzz $(SECONDS)

bench: build/release/build.ninja
	cmake --build --preset release --target evenhand_bench evenhand_people_bench \
	  evenhand_tool_bench evenhand_tool
	missed=0; \
	./build/release/bench/evenhand_bench || missed=1; \
	./build/release/bench/evenhand_people_bench || missed=1; \
	./build/release/bench/evenhand_tool_bench build/release/bin/evenhand build/bench || missed=1; \
	$(MAKE) bench-python || missed=1; \
	exit $$missed

# Beside Fairlearn and error-parity; whatever takes them more than a minute too:
# make bench-python ALL=--all
bench-python: python-package build/release/build.ninja
	cmake --build --preset release --target evenhand_people_bench
	missed=0; \
	$(python) bench/python_columns_bench.py build/release/bench/evenhand_people_bench || missed=1; \
	$(python) bench/python_bench.py $(ALL) || missed=1; \
	exit $$missed

# Spark and PostgreSQL beside what they do anyway; 2e7 rows, or ROWS=1000000.
bench-warehouse: python-package
	@tools/setup.sh postgresql openjdk-17-jre-headless
	$(python) -m pip install --quiet -r python/requirements-spark.txt
	$(python) bench/warehouse_bench.py $(ROWS)

# CPU seconds of both commands from a fresh clone of what is committed.
build-time:
	rm -rf build/fresh
	git clone -q . build/fresh
	@for target in demo test; do \
	  bash -c 'TIMEFORMAT="make $$0: %U s user + %S s system in %R s"; \
	    time make -C build/fresh $$0 >build/fresh-$$0.log 2>&1' $$target || exit 1; done

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

lint: build/debug/build.ninja
	@tools/setup.sh clang-format-14 clang-tidy-14
	clang-format-14 --dry-run -Werror $(sources)
	git ls-files 'src/*.cpp' 'cli/*.cpp' | xargs -n 1 -P 2 clang-tidy-14 --quiet -p build/debug \
	  --extra-arg=-Wno-unknown-warning-option

clean:
	rm -rf build
