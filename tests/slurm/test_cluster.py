# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cluster.sh stop` ends the processes of its cluster and no others. No Slurm is needed: sleep stands for daemons."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CLUSTER = pathlib.Path(__file__).resolve().parent / "cluster.sh"


class Stop(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, program):
        process = subprocess.Popen([program, "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def daemon(self, folder):
        """Named as a daemon, by a command line that names the folder."""
        folder.mkdir(exist_ok=True)
        return self.start(shutil.copy(shutil.which("sleep"), folder / "slurmd"))

    def test_it_ends_its_own_and_leaves_those_that_have_their_numbers_now(self):
        cluster = self.folder / "cluster"
        own, of_another, stranger = self.daemon(cluster), self.daemon(self.folder / "another"), self.start("sleep")
        for name, number in (("slurmd-one", own.pid), ("slurmd-two", of_another.pid), ("slurmctld", stranger.pid),
                             ("munged", "")):
            (cluster / f"{name}.pid").write_text(f"{number}\n")
        subprocess.run([CLUSTER, "stop", cluster], check=True, timeout=100)
        own.wait(10)
        self.assertEqual((of_another.poll(), stranger.poll()), (None, None))
        self.assertEqual(list(cluster.glob("*.pid")), [])


if __name__ == "__main__":
    unittest.main()
