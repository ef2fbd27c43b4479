#!/usr/bin/env bash
# setup.sh build | python | test | check | bench | hardware | dist | lint: installs what is missing to build Octet, to judge networks
# with ONNX Runtime, to test Octet, to check it under sanitizers and on AArch64, to measure it, to synthesize its Verilog, to make
# packages, or to check and format its sources: Debian or Ubuntu packages; for python, test, check, bench and hardware also Python packages into .venv: for bench
# those that are measured and nothing else, for hardware Yosys and nextpnr.
# Where nothing is missing it changes nothing and needs no network.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(make g++ cmake ninja-build pkg-config protobuf-compiler libprotobuf-dev libfmt-dev libcli11-dev
          nlohmann-json3-dev libzip-dev libhwy-dev libre2-dev libjpeg-dev libpng-dev libgraphviz-dev fonts-liberation)
python_packages=false more_packages=
case "${1:-}" in
  build) ;;
  python) packages=(python3 python3-venv) python_packages=true ;;
  test) packages+=(libgtest-dev clang clang-format iverilog verilator cmark-gfm qemu-user gcc-arm-none-eabi qemu-system-arm
                   zsh fish groff-base dpkg-dev python3 python3-venv python3-dev)
        python_packages=true more_packages=python ;;
  check) packages+=(libgtest-dev clang libclang-rt-dev clang-tidy googletest g++-aarch64-linux-gnu qemu-user python3 python3-venv)
         python_packages=true ;;
  bench) packages+=(libbenchmark-dev clang python3 python3-venv python3-dev) python_packages=true more_packages="bench python" ;;
  hardware) packages+=(verilator iverilog python3 python3-venv) python_packages=true more_packages=hardware ;;
  dist) packages+=(dpkg-dev python3) ;;
  lint) packages+=(libgtest-dev clang clang-tidy clang-format) ;;
  *) echo "usage: $0 build | python | test | check | bench | hardware | dist | lint" >&2; exit 2 ;;
esac

installed() {  # itself, or under a name with a version: libclang-rt-14-dev for libclang-rt-dev
  grep -qx installed < <(dpkg-query -W -f '${db:Status-Status}\n' "$1" "${1%-dev}-[0-9]*-dev" 2>/dev/null)
}

install_packages() {
  local missing=() as_root=()
  for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Missing: ${missing[*]}. Install them as root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update
  "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

install_into_venv() {
  PIP_USER=0 .venv/bin/python -I -m pip --disable-pip-version-check install -q --no-deps --only-binary :all: -r "$1"
}

# The system's own Python, whatever the shell's is (a shim, another virtual environment).
install_python_packages() {
  local python=/usr/bin/python3 wanted
  [ -x "$python" ] || python=$(command -v python3)
  wanted=$("$python" -VV && cat tools/requirements.txt)
  [ "$wanted" != "$(cat .venv/installed 2>/dev/null)" ] || return 0
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "ONNX Runtime and the tests need Python 3.11 or newer; $python is $("$python" -V)." >&2
    exit 1
  }
  echo "Installing the Python packages of tools/requirements.txt into .venv"
  rm -rf .venv
  "$python" -I -m venv .venv
  install_into_venv tools/requirements.txt
  echo "$wanted" >.venv/installed
}

install_more_packages() {  # those of tools/requirements-$1.txt
  cmp -s "tools/requirements-$1.txt" ".venv/installed-$1" && return
  echo "Installing the Python packages of tools/requirements-$1.txt into .venv"
  install_into_venv "tools/requirements-$1.txt"
  cp "tools/requirements-$1.txt" ".venv/installed-$1"
}

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  install_packages
else
  echo "Not Debian or Ubuntu: taking for installed what these packages hold: ${packages[*]}" >&2
fi
if "$python_packages"; then install_python_packages; fi
for more in $more_packages; do install_more_packages "$more"; done
