# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`./dev setup` leaves the machine's alternatives as they were: with stand-ins for Debian's programs."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# The state of the alternatives is a file; apt-get does to it what Open MPI's packages do.
STAND_INS = {
    "dpkg-query": 'case "$*" in *openmpi-bin*) exit 1 ;; esac; echo "install ok installed"',
    "sudo": '"$@"',
    "apt-get": 'case "$*" in *install*) cp "$STATE.after" "$STATE" ;; esac',
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
    def set_by_setup(self, before, after):
        """What setup sets, if it finds these alternatives and the packages leave those behind."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="setup-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for name, text in STAND_INS.items():
            (folder / name).write_text("#!/bin/sh\n" + STEM + text + "\n")
            (folder / name).chmod(0o755)
        state = folder / "state"
        state.write_text(before)
        (folder / "state.after").write_text(after)
        source = folder / "llvm" / "openmp" / "runtime" / "src"
        source.mkdir(parents=True)
        (source / "kmp_dispatch.cpp").touch()
        environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "STATE": str(state),
                                    "DEV_LLVM_SOURCE": str(folder / "llvm")}
        done = subprocess.run([REPOSITORY / "dev", "setup"], env=environment, text=True, capture_output=True,
                              timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("openmpi-bin", done.stdout)
        chosen = folder / "state.set"
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


if __name__ == "__main__":
    unittest.main()
