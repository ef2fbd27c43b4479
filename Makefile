# make test   installs what is missing on a fresh Debian or Ubuntu machine, builds, and runs every test
# make        the release build
# make tidy, make format, make clean

JOBS ?= $(shell nproc)
BUILD = cmake --build --parallel $(JOBS) --preset
CONFIGURE = cmake --log-level=WARNING --preset

.PHONY: release test tidy format clean

release:
	$(CONFIGURE) release
	$(BUILD) release

# One CTest run over the release build and the one with sanitizers, so that the last lines speak for everything.
test:
	tools/setup.sh test
	$(CONFIGURE) test -DOCTET_REQUIRE_ALL=$(if $(OCTET_REQUIRE_ALL),ON,OFF)
	$(CONFIGURE) sanitize -DOCTET_REQUIRE_ALL=$(if $(OCTET_REQUIRE_ALL),ON,OFF)
	$(BUILD) test
	$(BUILD) sanitize
	mkdir -p build/all
	echo 'subdirs("$(CURDIR)/build" "$(CURDIR)/build-sanitize")' >build/all/CTestTestfile.cmake
	ctest --test-dir build/all --output-on-failure --no-tests=error --parallel $(JOBS)

tidy:
	tools/setup.sh lint
	$(CONFIGURE) tidy
	$(BUILD) tidy

format:
	tools/setup.sh lint
	git ls-files '*.cc' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-*
