"""What the command says about itself to shells, to man(1) and to programs.

Usage: completion_test.py OCTET

Each shell loads the script that `octet completion` writes and is asked what it would complete, on the commands and options that
`octet help --json` lists. groff formats every manual page without a warning.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OCTET = str(pathlib.Path(sys.argv.pop(1)).resolve())

# A shell in a pseudo-terminal that lists what it would insert instead of inserting it.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; stty rows 200 columns 400; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -d ./dump'
zpty -w shell 'list() { compadd() { if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  typeset -a found; builtin compadd -A found "$@"; local word; for word in $found; do print -r -- "WORD:$word:"; done; builtin compadd "$@" }
  trap "print -r -- DONE:" EXIT; _main_complete }'
zpty -w shell 'zle -C ask complete-word list; bindkey "^X" ask; print READY:'
zpty -r -m shell line '*READY:*'
zpty -n -w shell "$1"$'\C-X'
zpty -r -m shell line '*DONE:*'
print -r -- "$line"
zpty -d shell
"""


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        (cls.folder / "models").mkdir()
        for name in ("a b.onnx", "c.onnx", "notes.txt", "x.npz"):
            (cls.folder / name).touch()
        cls.interface = json.loads(cls.octet("help", "--json", "-"))
        for name, shell in (("octet", "bash"), ("_octet", "zsh"), ("octet.fish", "fish")):
            (cls.folder / name).write_text(cls.octet("completion", shell))

    @classmethod
    def octet(cls, *arguments):
        return subprocess.run([OCTET, *arguments], check=True, capture_output=True, text=True).stdout

    def shell(self, name, *arguments):
        if not shutil.which(name):
            self.skipTest(f"{name} is not installed")
        done = subprocess.run([name, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout.splitlines()

    def bash(self, *words):
        script = 'source ./octet; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _octet; printf "%s\\n" "${COMPREPLY[@]}"'
        return [line for line in self.shell("bash", "-c", script, "bash", *words) if line]

    def fish(self, line):
        return [found.split("\t")[0] for found in self.shell("fish", "--no-config", "-c", f"source octet.fish; complete -C '{line}'")]

    def zsh(self, line):
        text = "\n".join(self.shell("zsh", "-f", "-c", ZSH, "zsh", line))
        return [part.split(":")[0] for part in text.split("WORD:")[1:]]

    def commands(self):
        return [command["name"] for command in self.interface["commands"]]

    def options(self, command):
        (found,) = [c for c in self.interface["commands"] if c["name"] == command]
        return sorted(name for option in found["options"] for name in option["names"] if name.startswith("--"))

    def test_commands(self):
        self.assertEqual(self.bash("octet", ""), self.commands())
        self.assertEqual(sorted(self.fish("octet ")), sorted(self.commands()))
        self.assertEqual(sorted(self.zsh("octet ")), sorted(self.commands()))

    def test_options_of_every_command(self):
        for command in self.commands():
            with self.subTest(command=command):
                self.assertEqual(sorted(w for w in self.bash("octet", command, "--")), self.options(command))
        for command in ("run", "quantize"):
            found = [word.partition("=")[0] for word in self.fish(f"octet {command} --")]
            self.assertEqual(sorted(set(found)), self.options(command))
            self.assertEqual(sorted({w.rstrip("=") for w in self.zsh(f"octet {command} --") if w.startswith("--")}), self.options(command))

    def test_values(self):
        policies = ["as-written", "exact", "onnxruntime"]
        self.assertEqual(sorted(self.bash("octet", "run", "--policy", "")), policies)
        self.assertEqual(sorted(self.bash("octet", "run", "--policy", "=", "ex")), ["exact"])
        self.assertEqual(self.bash("octet", "run", "--policy", "="), self.bash("octet", "run", "--policy", ""))
        self.assertEqual(sorted(self.fish("octet run --policy ")), policies)
        self.assertEqual(sorted(self.zsh("octet run --policy ")), policies)
        self.assertEqual(self.bash("octet", "run", "--random", ""), [])
        self.assertEqual(self.bash("octet", "completion", "z"), ["zsh"])

    def test_files_with_the_endings_that_the_option_takes(self):
        self.assertEqual(sorted(self.bash("octet", "lower", "-o", "")), ["a b.onnx", "c.onnx", "models"])
        self.assertIn("notes.txt", self.bash("octet", "inspect", "n"))
        self.assertEqual(sorted(self.fish("octet lower -o ")[:2]), ["a b.onnx", "c.onnx"])  # fish offers the others behind them
        self.assertNotIn("notes.txt", self.zsh("octet lower -o "))
        self.assertIn("c.onnx", self.zsh("octet lower -o "))

    def test_manual_pages_format_without_a_warning(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for command in [None, *self.commands()]:
            page = self.octet("help", "--man", *([command] if command else []))
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-rLL=80n"], input=page, capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", command)
            text = " ".join(done.stdout.split())
            self.assertIn(f"octet-{command}" if command else "octet", text)

    def test_a_page_has_every_option(self):
        page = self.octet("help", "--man", "quantize").replace("\\-", "-")
        for option in self.options("quantize"):
            self.assertIn(option, page)

    def test_wrong_use(self):
        for arguments, message in ((("completion", "tcsh"), "tcsh: wanted bash, zsh or fish"), (("completion",), "shell is required"),
                                   (("help", "--man", "rum"), "did you mean run?"), (("help", "run", "--json", "-"), "excludes")):
            done = subprocess.run([OCTET, *arguments], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
