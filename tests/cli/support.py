# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all tests of the tool share: a place where it finds a stand-in runtime, and records like the library's."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

STAND_IN = """
void __kmpc_fork_call(void) {}
void GOMP_parallel(void) {}
void GOMP_barrier(void) {}
int kmp_gimbal_use(void) { return 0; }
"""


def record(rank=0, ranks=1, pid=100, loops=1, time_s=3.0):
    """A record with `loops` loops of two threads: busy 3 s and 1 s, so max 3, mean 2."""
    loop = {
        "name": "sph.cpp:210 density", "module": "", "offset_bytes": 0, "workers": 2, "calls": 2, "iterations": 2000,
        "chunks": 4, "time_s": time_s, "busy_max_s": 3.0, "busy_mean_s": 2.0, "scheduling_s": 0.03, "fallbacks": 0,
        "schedules": [{"schedule": "static", "reason": "GIMBAL_SCHEDULE", "calls": 2}],
        "per_worker": [{"busy_s": 3.0, "iterations": 1500, "chunks": 2},
                       {"busy_s": 1.0, "iterations": 500, "chunks": 2}],
    }
    return {
        "schema_version": 1, "gimbal_version": "0.1.0", "program": "./app", "host": "node7", "job": str(pid),
        "openmp": "/opt/lib/libomp.so", "pid": pid, "rank": rank, "ranks": ranks, "wall_s": 10.0, "dispatch_ns": 10.0,
        "seed": 42, "options": [], "warnings": [], "loops": [loop] * loops,
    }


def with_signals(handler, *numbers):
    """For Popen: the signals are ignored, or not, whatever those who started the tests had done with them."""
    def prepare():
        for number in numbers:
            signal.signal(number, handler)
    return {"preexec_fn": prepare}


class ToolTest(unittest.TestCase):
    """Each class gets a folder with bin/gimbal and lib/libomp.so; each test an empty TMPDIR that must stay empty."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="cli-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "bin").mkdir()
        (cls.folder / "lib").mkdir()
        cls.tool = cls.folder / "bin" / "gimbal"
        shutil.copy(os.environ["GIMBAL_TOOL"], cls.tool)
        cls.libomp = cls.compile(STAND_IN, "lib/libomp.so", "-shared", "-fPIC", "-Wl,-soname,libomp.so.5")

    @classmethod
    def compile(cls, source, name, *flags):
        """Build a C source inside the class's folder. The flags come last, so that libraries resolve."""
        path = cls.folder / name
        file = path.with_suffix(".c")
        file.write_text(source)
        subprocess.run([os.environ.get("CC", "cc"), "-g", "-o", path, file, *flags], check=True, capture_output=True)
        return path

    def setUp(self):
        self.temporary = self.folder / "tmp"
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        self.work = self.folder / "work"
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()

    def environment(self, extra=None):
        ours = ("GIMBAL_", "OMP_", "KMP_", "LB4MPI_", "MPI_RL_", "LD_", "PMI", "SLURM_")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        return kept | {"TMPDIR": str(self.temporary), "GIMBAL_CACHE": "off"} | (extra or {})

    def gimbal(self, *words, env=None, timeout=600):
        """Run the tool in the test's work folder."""
        return subprocess.run([self.tool, *map(str, words)], env=self.environment(env), cwd=self.work, text=True,
                              capture_output=True, timeout=timeout)

    def script(self, text, name="program.sh"):
        """An executable shell script."""
        path = self.work / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def writing_script(self, *records):
        """A script that leaves these records as the library would."""
        lines = []
        for entry in records:
            name = f"record-{entry['rank']}-{entry['pid']}.json"
            lines.append(f"cat > $GIMBAL_RUN_DIR/{name} <<'END'\n{json.dumps(entry)}\nEND\n")
        return self.script("".join(lines))

    def assert_nothing_left(self):
        self.assertEqual(list(self.temporary.iterdir()), [], "a temporary folder was left behind")
