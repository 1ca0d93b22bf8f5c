# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`./dev setup` leaves alternatives and folders as they were; `./dev build` configures what is not: with stand-ins."""
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# The state of the alternatives is a file; apt-get does to it what Open MPI's packages do.
STAND_INS = {
    "dpkg-query": 'case "$*" in *openmpi-bin*) exit 1 ;; esac; echo "install ok installed"',
    "sudo": '"$@"',
    "apt-get": """
case "$*" in
    *install*) cp "$STATE.after" "$STATE" ;;
    *indextargets*) echo "Debian http://none.example/debian stable main" ;;
    *--download-only*) cp "$STATE.llvm" llvm-toolchain-19_19.1.7.orig.tar.xz ;;
esac""",
    "sha256sum": "cat >/dev/null",
    "cmake": 'echo "$1" >>"$STATE.cmake"',
    "update-alternatives": """
case $1 in
    --get-selections) cat "$STATE" ;;
    --list) [ "$2" = editor ] || printf '%s.mpich\\n%s.openmpi\\n' "$(stem $2)" "$(stem $2)" ;;
    --quiet) echo "$3 $4" >>"$STATE.set" ;;
esac""",
}
STEM = 'stem() { case $1 in mpi) echo /usr/bin/mpicc ;; mpirun) echo /usr/bin/mpirun ;; *) echo "/none/$1" ;; esac; }\n'


@unittest.skipUnless(shutil.which("bash") and shutil.which("awk"), "no bash or awk")
class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="setup-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in STAND_INS.items():
            (self.folder / name).write_text("#!/bin/sh\n" + STEM + text + "\n")
            (self.folder / name).chmod(0o755)
        self.state = self.folder / "state"
        self.states("", "")

    def states(self, before, after):
        """The alternatives that setup finds, and those that the packages leave behind."""
        self.state.write_text(before)
        (self.folder / "state.after").write_text(after)

    def llvm(self, name):
        """A folder with as much of LLVM's source as `./dev` looks for."""
        source = self.folder / name / "openmp" / "runtime" / "src"
        source.mkdir(parents=True)
        (source / "kmp_dispatch.cpp").touch()
        return self.folder / name

    def run_program(self, *words, **more):
        kept = {name: value for name, value in os.environ.items() if name != "DEV_LLVM_SOURCE"}
        environment = kept | {"PATH": f"{self.folder}:{os.environ['PATH']}", "STATE": str(self.state),
                              "XDG_CACHE_HOME": str(self.folder / "cache")}
        return subprocess.run(words, env=environment | more, cwd=self.folder, text=True, capture_output=True, timeout=600)

    def setup_of_dev(self, **more):
        return self.run_program(REPOSITORY / "dev", "setup", **more)

    def set_by_setup(self, before, after):
        """What setup sets, if it finds these alternatives and the packages leave those behind."""
        self.states(before, after)
        done = self.setup_of_dev(DEV_LLVM_SOURCE=str(self.llvm("llvm")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("openmpi-bin", done.stdout)
        chosen = self.folder / "state.set"
        return sorted(chosen.read_text().split("\n")[:-1]) if chosen.exists() else []

    MPICH = "mpi auto /usr/bin/mpicc.mpich\nmpirun auto /usr/bin/mpirun.mpich\n"
    OPENMPI = "mpi auto /usr/bin/mpicc.openmpi\nmpirun auto /usr/bin/mpirun.openmpi\n"

    def test_mpich_stays_the_machines_mpi(self):
        before, after = "editor auto /bin/ed\n" + self.MPICH, "editor auto /bin/vi\n" + self.OPENMPI
        self.assertEqual(self.set_by_setup(before, after),
                         ["mpi /usr/bin/mpicc.mpich", "mpirun /usr/bin/mpirun.mpich"])

    def test_open_mpi_stays_the_machines_mpi(self):
        self.assertEqual(self.set_by_setup(self.OPENMPI, self.OPENMPI), [])

    def test_where_there_was_none_it_is_the_one_that_gimbal_is_built_with(self):
        self.assertEqual(self.set_by_setup("", self.OPENMPI),
                         ["mpi /usr/bin/mpicc.mpich", "mpirun /usr/bin/mpirun.mpich"])

    def provide_archive(self):
        """What the stand-in of apt-get fetches as LLVM's source."""
        with tarfile.open(self.folder / "state.llvm", "w:xz") as archive:
            source = self.llvm("fetched")
            (source / "cmake").mkdir()
            archive.add(source, "llvm-toolchain-19_19.1.7")

    def test_the_source_of_llvm_comes_into_the_cache(self):
        self.provide_archive()
        done = self.setup_of_dev()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "cache/gimbal/llvm-19.1.7/openmp/runtime/src/kmp_dispatch.cpp").exists())
        self.assertEqual([path.name for path in (self.folder / "cache/gimbal").iterdir()], ["llvm-19.1.7"])

    def test_a_folder_of_the_users_without_llvm_stays_as_it_is(self):
        self.provide_archive()
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "thesis.tex").write_text("years of work")
        for name in ("mine", str(mine), "mine/", "lost"):
            done = self.setup_of_dev(DEV_LLVM_SOURCE=name)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"dev: error: DEV_LLVM_SOURCE={self.folder.resolve() / name} holds no openmp/", done.stderr)
        self.assertEqual([path.name for path in mine.iterdir()], ["thesis.tex"])
        self.assertFalse((self.folder / "lost").exists())

    def test_a_relative_path_counts_from_where_the_user_is(self):
        self.llvm("near")
        done = self.setup_of_dev(DEV_LLVM_SOURCE="near")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_fetching_touches_no_folder_that_holds_something(self):
        self.provide_archive()
        mine, empty = self.folder / "mine", self.folder / "empty"
        for folder in (mine, empty, self.folder / "empty.new"):
            folder.mkdir()
        for folder in (mine, self.folder / "empty.new"):
            (folder / "thesis.tex").write_text("years of work")
        fetch = REPOSITORY / "omp_patch" / "fetch_llvm.sh"
        done = self.run_program(fetch, mine)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{mine} is there and not empty", done.stderr)
        done = self.run_program(fetch, f"{empty}/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((empty / "openmp/runtime/src/kmp_dispatch.cpp").exists())
        for folder in (mine, self.folder / "empty.new"):
            self.assertTrue((folder / "thesis.tex").exists(), folder)

    def test_a_folder_is_configured_whose_configuring_failed_or_was_for_another_source(self):
        copy = self.folder / "copy"
        copy.mkdir()
        shutil.copy(REPOSITORY / "dev", copy)
        cache = copy / "build/release/CMakeCache.txt"
        cache.parent.mkdir(parents=True)
        first, second = (self.llvm(name).resolve() for name in ("first", "second"))
        cache.write_text(f"GIMBAL_BUILD_TESTS:BOOL=ON\nGIMBAL_LLVM_SOURCE:PATH={first}\n")
        calls = self.folder / "state.cmake"
        for made, source, words in ((False, first, ["--preset", "--build"]), (True, first, ["--build"]),
                                    (True, second, ["--preset", "--build"])):
            if made:
                (cache.parent / "build.ninja").touch()
            calls.unlink(missing_ok=True)
            done = self.run_program(copy / "dev", "build", DEV_LLVM_SOURCE=str(source))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(calls.read_text().split(), words)


if __name__ == "__main__":
    unittest.main()
