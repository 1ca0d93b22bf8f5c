# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scripts of docs/cluster.md, run as they stand by a Slurm of two nodes on this machine.

Environment: GIMBAL (the tool). Exit status 77, and why, where nothing of it can run: without Slurm's daemons, as
another user than root, on one processor.
"""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parents[1] / "docs" / "cluster.md"
WAIT_S = 300
MISSING = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "mpicc.mpich")
           if not shutil.which(name, path="/usr/sbin:" + os.environ["PATH"])]


def scripts() -> list[str]:
    """The job scripts of the document, in its order."""
    return re.findall(r"```bash\n(#!/bin/bash\n.*?)```", DOCUMENT.read_text(), re.DOTALL)


def why_not() -> str:
    if MISSING:
        return f"not installed: {' '.join(MISSING)}"
    if os.geteuid() != 0:
        return "slurmd wants to be root"
    return "the scripts ask for two processors" if len(os.sched_getaffinity(0)) < 2 else ""


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.addClassCleanup(subprocess.run, [HERE / "cluster.sh", "stop", cls.folder / "cluster"], check=False)
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("GIMBAL_", "OMP_", "KMP_", "SLURM"))}
        cls.environment = {**kept, "GIMBAL_CACHE": "off", "TMPDIR": str(cls.folder / "tmp"), "SLURM_CONF": str(cls.folder / "cluster" / "slurm.conf"),
                           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                           "PATH": f"{pathlib.Path(os.environ['GIMBAL']).parent}:/usr/sbin:{os.environ['PATH']}"}
        (cls.folder / "tmp").mkdir()
        cls.mpich, cls.openmpi = (cls.folder / f"app-{family}" for family in ("mpich", "openmpi"))
        for family, program in (("mpich", cls.mpich), ("openmpi", cls.openmpi)):
            if shutil.which(f"mpicc.{family}"):
                subprocess.run([f"mpicc.{family}", "-O2", "-fopenmp", HERE / "app.c", "-o", program], check=True,
                               timeout=WAIT_S)
        subprocess.run([HERE / "cluster.sh", "start", cls.folder / "cluster"], env=cls.environment, check=True,
                       timeout=WAIT_S)

    def setUp(self) -> None:
        self.place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (self.place / "app").symlink_to(self.mpich)

    def run_here(self, *command: str | pathlib.Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([str(word) for word in command], cwd=self.place, env=self.environment, text=True,
                              capture_output=True, timeout=WAIT_S, check=False)
        if check and done.returncode != 0:
            self.fail(f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}\n{self.outputs()}")
        return done

    def outputs(self) -> str:
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.place.glob("*.out")))

    def submit(self, script: str) -> str:
        (self.place / "job.sh").write_text(script)
        return self.run_here("sbatch", "--parsable", "job.sh").stdout.strip()

    def await_end(self, job: str, more=lambda: False) -> None:
        """Until the job is gone and nothing `more` is waited for. (sbatch --wait asks once in a long while.)"""
        deadline = time.monotonic() + WAIT_S
        while self.run_here("squeue", "-h", "-j", job, check=False).stdout.strip() or more():
            self.assertLess(time.monotonic(), deadline, f"{self.left_behind()}\n{self.outputs()}")
            time.sleep(0.2)

    def test_every_script_of_the_document_gives_one_report_of_all_ranks(self) -> None:
        for script in scripts():
            with self.subTest(script=script.splitlines()[-2]):
                job = self.submit(script)
                self.await_end(job)
                said = self.outputs()
                for rank in range(2):
                    self.assertIn(f"rank {rank} of 2: 2 threads on 2 cores", said)
                    self.assertTrue((self.place / f"run-{job}-{rank}.json").exists(), said)
                whole = said[said.rindex("gimbal 0."):]
                self.assertIn(f"job {job}  2 ranks x 2 threads", whole)
                self.assertNotIn("WARN", whole)

    def left_behind(self) -> list[str]:
        return [path.name for path in (self.folder / "tmp").glob("gimbal*")]

    def test_a_job_that_is_cancelled_leaves_a_partial_record_and_nothing_else(self) -> None:
        for script in scripts():
            with self.subTest(script=script.splitlines()[-2]):
                job = self.submit(script.replace("./app", "./app 100000000"))
                deadline = time.monotonic() + WAIT_S
                while not self.left_behind():  # it is there while the job runs
                    self.assertLess(time.monotonic(), deadline, self.outputs())
                    time.sleep(0.2)
                time.sleep(3)  # of work
                self.run_here("scancel", job)
                self.await_end(job, more=self.left_behind)
                self.assertTrue(list(self.place.glob(f"run-{job}-*.json")), self.outputs())

    @unittest.skipUnless(shutil.which("mpicc.openmpi"), "no Open MPI")
    def test_a_program_of_open_mpi_under_pmix(self) -> None:
        done = self.run_here("srun", "-N1", "-n2", "--mpi=pmix", "gimbal", "run", "--",
                             self.openmpi)
        self.assertIn("rank 1 of 2", done.stdout)
        self.assertIn("2 ranks", done.stderr)

    def test_the_wrong_kind_of_mpi_is_named(self) -> None:
        done = self.run_here("srun", "-N1", "-n2", "--mpi=none", "gimbal", "run", "--", "./app")
        self.assertIn("rank 0 of 1", done.stdout)
        self.assertIn("alone in its MPI_COMM_WORLD", done.stderr)


if __name__ == "__main__":
    if why_not():
        print(f"SKIPPED: {why_not()}")
        sys.exit(77)
    unittest.main()
