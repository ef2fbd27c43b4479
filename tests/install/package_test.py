"""The packages that cpack makes: what is in them, and that the command in them works.

Usage: package_test.py BUILD
"""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **more).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("dpkg-shlibdeps"):
            raise unittest.SkipTest("SKIPPED: dpkg-dev is not installed")
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder / "out")
        (cls.deb,), (cls.archive,) = cls.folder.glob("out/*.deb"), cls.folder.glob("out/*.tar.gz")
        run("dpkg-deb", "-x", cls.deb, cls.folder / "root")
        cls.usr = cls.folder / "root/usr"

    def octet(self, *arguments):
        return run(self.usr / "bin/octet", *arguments, cwd=self.folder, env={"PATH": "/usr/bin:/bin"})

    def test_describes_itself(self):
        fields = {name: run("dpkg-deb", "-f", self.deb, name).strip() for name in ("Package", "Version", "Depends", "Maintainer", "Description")}
        self.assertEqual(fields["Package"], "octet")
        self.assertEqual(fields["Version"], self.octet("--version").split()[1])
        self.assertIn(f"\nversion: {fields['Version']}\n", (ROOT / "CITATION.cff").read_text())
        for library in ("libc6", "libfmt", "libprotobuf-lite", "libzip", "libgvc", "libcgraph"):
            self.assertIn(library, fields["Depends"])
        self.assertTrue(fields["Maintainer"] and fields["Description"])

    def test_holds_files_of_root_below_usr(self):
        for line in run("dpkg-deb", "-c", self.deb).splitlines():
            mode, owner, _, _, _, path = line.split(maxsplit=5)
            self.assertTrue(path in ("./",) or path.startswith("./usr/"), path)
            self.assertEqual(owner, "root/root", path)
            self.assertNotIn("w", mode[5:], path)

    def test_archive_has_the_same_files(self):
        with tarfile.open(self.archive) as archive:
            files = {pathlib.PurePosixPath(*pathlib.PurePosixPath(member.name).parts[1:]) for member in archive if not member.isdir()}
        self.assertEqual(files, {path.relative_to(self.usr) for path in self.usr.rglob("*") if not path.is_dir()})

    def test_command_runs_and_draws(self):
        model = ROOT / "models/resnet8_int8.onnx"
        self.assertIn("probabilities", self.octet("run", model, "--random", 1, "--dim", "N=1"))
        self.octet("draw", model, "-o", "network.svg")
        self.assertIn("</svg>", (self.folder / "network.svg").read_text())

    def test_pages_and_completion_are_where_their_readers_look(self):
        for file in ("share/man/man1/octet.1", "share/man/man1/octet-run.1", "share/bash-completion/completions/octet",
                     "share/zsh/site-functions/_octet", "share/fish/vendor_completions.d/octet.fish", "include/octet/octet.h",
                     "share/doc/octet/LICENSE"):
            self.assertTrue((self.usr / file).is_file(), file)


if __name__ == "__main__":
    unittest.main()
