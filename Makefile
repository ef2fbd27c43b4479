# make demo   on a fresh Debian or Ubuntu machine: installs what is missing, builds, shows the tool at work
# make test   the same, then every test of the release build
# make check  the rest of what must hold: clang-tidy, the tests under the sanitizers, short fuzzing, and AArch64 under qemu-user
# make        the release build alone: build/octet
# make python  ONNX Runtime and NumPy in .venv: what octet verify asks
# make bench  measures Octet beside the onnx package and ONNX Runtime's quantizer, then networks beside ONNX Runtime and OpenVINO, and
#             writes docs/performance.md, on a CPU with VNNI docs/performance-vnni.md; exported C beside ONNX Runtime and emx-onnx-cgen;
#             single operators beside ONNX Runtime
# make accuracy  measures what quantization costs, beside ONNX Runtime's quantizer, and writes docs/accuracy.md
# make pytorch  quantizes ResNet8 by PyTorch's own flow, runs the blocks of the reference that need it, and writes what it measures into
#             chapter 4: PYTORCH=python3, a Python with torch, onnx and numpy
# make docs   fills the numbers of the reference in docs/ from the networks in models/, runs its code, draws its pictures
# make pitfalls  measures what hardware mistakes cost and writes docs/pitfalls.md
# make judge  the long comparisons, with ONNX Runtime and of each step with its work: CASES=24000, IMAGES=100, NETWORKS=5000
# make verify octet verify over every form of the networks at hand: VERIFIED=1017 images
# make coverage  networks of every family in every form of quantization beside ONNX Runtime, and writes docs/coverage.md
# make hardware  the long checks of the Verilog: HARDWARE_IMAGES=100 on every ResNet8, every accumulator of every requantizer, proofs;
#             then what it costs, and writes the table of docs/hardware.md
# make fuzz   the long run of every fuzz target, and of hostile models: SECONDS=1800 each
# make tsan   the tests of the engines under the thread sanitizer
# make dist   packages in dist/: .deb and .tar.gz
# make tidy, make format, make clean

JOBS ?= $(shell nproc)
BUILD = cmake --build --parallel $(JOBS) --preset
CONFIGURE = cmake --log-level=WARNING --preset
REQUIRE_ALL = -DOCTET_REQUIRE_ALL=$(if $(OCTET_REQUIRE_ALL),ON,OFF)

.PHONY: release demo python test check bench accuracy pitfalls pytorch docs judge verify coverage hardware fuzz tsan dist tidy format clean

release:
	$(CONFIGURE) release
	$(BUILD) release

demo:
	tools/setup.sh build
	$(MAKE) release
	tools/demo.sh

python:
	tools/setup.sh python

# The release build and its tests.
test:
	@tools/cpu_features.sh
	tools/setup.sh test
	$(CONFIGURE) test $(REQUIRE_ALL)
	$(BUILD) test
	ctest --test-dir build --output-on-failure --no-tests=error --parallel $(JOBS)

# What takes another compiler: clang-tidy, the tests and short fuzzing under the sanitizers, and the tests of what computes on AArch64.
# One CTest run over all of it, so that the last lines speak for everything.
check:
	tools/setup.sh check
	$(CONFIGURE) sanitize $(REQUIRE_ALL)
	cmake --log-level=WARNING -G Ninja -S tests/aarch64 -B build-aarch64 $(REQUIRE_ALL)
	$(BUILD) sanitize
	cmake --build build-aarch64 --parallel $(JOBS)
	mkdir -p build-sanitize/all
	echo 'subdirs("$(CURDIR)/build-sanitize" "$(CURDIR)/build-aarch64")' >build-sanitize/all/CTestTestfile.cmake
	ctest --test-dir build-sanitize/all --output-on-failure --no-tests=error --parallel $(JOBS)

bench:
	tools/setup.sh bench
	$(CONFIGURE) bench -DOCTET_BUILD_PYTHON=ON
	$(BUILD) bench
	.venv/bin/python benchmarks/run.py
	PYTHONPATH=build/python .venv/bin/python benchmarks/python_call.py
	.venv/bin/python benchmarks/performance.py build/octet docs
	.venv/bin/python benchmarks/c_speed.py build/octet docs/export-c.md
	.venv/bin/python benchmarks/operators.py build/octet

accuracy:
	tools/setup.sh bench
	$(CONFIGURE) release
	$(BUILD) release
	.venv/bin/python benchmarks/accuracy.py build/octet docs/accuracy.md
	.venv/bin/python benchmarks/repairs.py build/octet docs/accuracy.md

pitfalls:
	tools/setup.sh bench
	$(CONFIGURE) release
	$(BUILD) release
	.venv/bin/python benchmarks/pitfalls.py build/octet docs/pitfalls.md

PYTORCH ?= python3
pytorch:
	$(PYTORCH) benchmarks/pytorch.py docs/quantization/04-architecture.md docs/quantization/05-residual-connections.md

REFERENCE = $(wildcard docs/QUANTIZATION_OPERATIONS.md docs/quantization/*.md docs/conformance.md docs/cli/*.md)
docs:
	tools/setup.sh test
	$(CONFIGURE) release
	$(BUILD) release
	tools/docs/pictures.sh build/octet
	.venv/bin/python tools/docs/generate.py build/octet $(REFERENCE)
	.venv/bin/python tests/docs/sessions.py --update build $(REFERENCE)

CASES ?= 24000
NETWORKS ?= 5000
IMAGES ?= 100
judge:
	tools/setup.sh test
	$(CONFIGURE) test
	$(BUILD) test --target run_cases --target octet --target networks --target engine_tests --target integer_tests --target export_tests
	OCTET_NETWORKS=$(NETWORKS) build/tests/engine_tests --gtest_filter='Work.*'
	OCTET_NETWORKS=$(NETWORKS) build/tests/integer_tests --gtest_filter='RandomNetworks.*'
	OCTET_NETWORKS=$(NETWORKS) build/tests/export_tests --gtest_filter='CRandomNetworks.*'
	OCTET_IMAGES=$(IMAGES) build/tests/export_tests --gtest_filter='*CNetworks.*:CSource.HasPerTensorWeightsToo'
	.venv/bin/python tests/judge/quantized.py --cases $(CASES) --run-cases build/tests/run_cases
	.venv/bin/python tests/judge/fused.py --cases 4000 --run-cases build/tests/run_cases
	.venv/bin/python tests/judge/functions.py --run-cases build/tests/run_cases
	.venv/bin/python tests/judge/optimized.py build/octet
	.venv/bin/python tests/judge/floats.py --cases 17000 --run-cases build/tests/run_cases
	.venv/bin/python tests/judge/quantizer.py build/octet --images $(IMAGES)
	.venv/bin/python tests/judge/networks.py --count $(NETWORKS) --networks build/tests/networks
	.venv/bin/python tests/judge/exporters.py build/octet || [ $$? -eq 77 ]

VERIFIED ?= 1017
verify:
	tools/setup.sh test
	$(CONFIGURE) test
	$(BUILD) test --target octet
	.venv/bin/python tests/judge/verify_models.py build/octet --images $(VERIFIED)

coverage:
	tools/setup.sh test
	$(CONFIGURE) test
	$(BUILD) test --target octet
	.venv/bin/python tests/judge/coverage.py build/octet --page docs/coverage.md

HARDWARE_IMAGES ?= 100
hardware:
	tools/setup.sh hardware
	$(CONFIGURE) test
	$(BUILD) test --target octet
	.venv/bin/python tests/hardware/network_test.py build/octet --images $(HARDWARE_IMAGES)
	.venv/bin/python tests/hardware/requantizer_test.py build/octet --every
	.venv/bin/python hardware/proof/run.py
	.venv/bin/python benchmarks/hardware.py build/octet docs/hardware.md

SECONDS ?= 1800
fuzz:
	tools/setup.sh test
	tools/fuzz.sh $(SECONDS)

# But for the tests that count allocations: the sanitizer has its own operator new.
tsan:
	tools/setup.sh test
	$(CONFIGURE) tsan
	$(BUILD) tsan
	build-tsan/tests/engine_tests --gtest_filter='-Values.*'

dist:
	tools/setup.sh dist
	$(MAKE) release
	cpack --config build/CPackConfig.cmake -B dist
	rm -rf dist/_CPack_Packages
	python3 tests/install/package_test.py build

tidy:
	tools/setup.sh lint
	$(CONFIGURE) tidy
	$(BUILD) tidy

format:
	tools/setup.sh lint
	git ls-files '*.cc' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-* dist
