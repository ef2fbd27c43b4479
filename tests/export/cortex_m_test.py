"""Exported C on Cortex-M: built with arm-none-eabi-gcc, run under QEMU, equal to octet run to the last bit.

    cortex_m_test.py OCTET [--update PAGE]

Instructions are counted by QEMU: with -icount shift=0 every instruction takes a nanosecond of the machine's time, and SysTick,
at 25 MHz, counts 40 of them. --update writes the table into a page, between its two marks.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

HERE = Path(__file__).parent / "cortex_m"
MODELS = Path("models")
CORES = {"Cortex-M3": ("mps2-an385", ["-mcpu=cortex-m3"]),
         "Cortex-M4F": ("mps2-an386", ["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]),
         "Cortex-M7F": ("mps2-an500", ["-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"])}
MAIN = """
#include "resnet8.h"
int semihost(int operation, const void *argument);
static const uint32_t image[] = {%s};
static const uint32_t wanted[10] = {%s};
static float out[10];
static void say(uint32_t number) {
  char text[12], *at = text + 11;
  *at = 0;
  do *--at = (char)('0' + number %% 10); while (number /= 10);
  semihost(0x04, at);
  semihost(0x04, " ");
}
int main(void) {
  volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;
  systick[1] = 0xFFFFFF;
  systick[2] = 0;
  systick[0] = 5;
  const uint32_t begin = systick[2];
  resnet8_run((const float *)(const void *)image, out);
  const uint32_t ticks = (begin - systick[2]) & 0xFFFFFF;
  uint32_t differing = 0;
  for (int i = 0; i < 10; ++i) {
    union { float number; uint32_t bits; } got = {out[i]};
    differing += got.bits != wanted[i];
  }
  say(differing);
  say(ticks);
  return 0;
}
"""


def words(array):
    return ", ".join(f"{word}u" for word in numpy.ascontiguousarray(array, "<f4").view("<u4").ravel())


def row(octet, model, core, folder):
    machine, flags = CORES[core]
    subprocess.run([octet, "export", MODELS / f"{model}.onnx", "--dim", "N=1", "--c", folder, "--c-name", "resnet8"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([octet, "run", MODELS / f"{model}.onnx", "--input", MODELS / "sample_image.npy", "-o", folder / "y.npy"],
                   check=True, stdout=subprocess.DEVNULL)
    image = numpy.load(MODELS / "sample_image.npy")
    (folder / "main.c").write_text(MAIN % (words(image), words(numpy.load(folder / "y.npy"))))
    build = ["arm-none-eabi-gcc", "-mthumb", *flags, "-O3", "-std=c99", "-ffreestanding", "-nostdlib", "-I", folder]
    network = [*build, "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-c", folder / "resnet8.c", "-o",
               folder / "resnet8.o"]
    subprocess.run(network, check=True)
    subprocess.run([*build, "-w", folder / "main.c", HERE / "start.c", folder / "resnet8.o", "-T", HERE / "link.ld", "-lgcc",
                    "-o", folder / "run.elf"], check=True)
    size = subprocess.run(["arm-none-eabi-size", folder / "resnet8.o"], check=True, capture_output=True, text=True)
    text, data, bss = (int(number) for number in size.stdout.splitlines()[1].split()[:3])
    ran = subprocess.run(["qemu-system-arm", "-M", machine, "-nographic", "-semihosting", "-icount", "shift=0", "-kernel",
                          folder / "run.elf"], capture_output=True, text=True, timeout=300)
    said = re.findall(r"\d+", ran.stdout + ran.stderr)
    if len(said) != 2:
        sys.exit(f"{model} on {core}: {ran.stdout}{ran.stderr}")
    differing, ticks = map(int, said)
    if differing:
        sys.exit(f"{model} on {core}: {differing} of 10 outputs differ")
    return f"| {model} | {core} | {text + data:,} | {data + bss:,} | {ticks * 40 / 1e6:.1f} million |"


def main():
    octet = Path(sys.argv[1]).resolve()
    if not shutil.which("arm-none-eabi-gcc") or not shutil.which("qemu-system-arm"):
        print("skipped: arm-none-eabi-gcc and qemu-system-arm are not there")
        sys.exit(77)
    updates = "--update" in sys.argv
    rows = []
    for model in ("resnet8_int8", "resnet8_uint8"):
        for core in CORES if updates else ("Cortex-M4F",):
            with tempfile.TemporaryDirectory() as folder:
                rows.append(row(octet, model, core, Path(folder)))
    table = "\n".join(["| network | core | flash, bytes | RAM, bytes | instructions per image |", "|---|---|---:|---:|---:|", *rows])
    print(table)
    if updates:
        page = Path(sys.argv[sys.argv.index("--update") + 1])
        begin, end = "<!-- cortex-m -->\n", "<!-- /cortex-m -->"
        text = page.read_text()
        page.write_text(text[:text.index(begin) + len(begin)] + table + "\n" + text[text.index(end):])


if __name__ == "__main__":
    main()
