#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are not built by this machine's own gcc and clang, under `gimbal run`: those that look for Intel's
runtime by its name, those of newer compilers, and Python with libraries that have OpenMP loops."""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tool_test import ARGUMENTS, ToolTest, environment, main  # noqa: E402

PROGRAM = """
#include <stdio.h>
int omp_get_max_threads(void);
int main(void) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (long i = 1000; i > 0; --i) sum += 1;
#pragma omp parallel for ordered schedule(runtime)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
        sum = 2 * (sum % 1000003) + i;
    }
    return printf("sum %ld of %d threads\\n", sum, omp_get_max_threads()) < 0;
}
"""

# A library as others build them for Python: a loop that is left to the environment, and one that is not.
LIBRARY = """
double sums(const double* x, long n) {
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < n; ++i) sum += x[i];
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < n; ++i) sum += x[i];
    return sum;
}
"""
CALLER = """
import ctypes
sums = ctypes.CDLL("./libsums.so").sums
sums.restype = ctypes.c_double
print(sums((ctypes.c_double * 1000)(*range(1000)), ctypes.c_long(1000)))
"""

LEARNING = """
import numpy
from sklearn.cluster import KMeans
x = numpy.random.default_rng(1).random((2000, 3))
model = KMeans(4, n_init=1, random_state=1).fit(x)
nearest = numpy.linalg.norm(x[:, None, :] - model.cluster_centers_[None, :, :], axis=2)
assert (nearest.argmin(axis=1) == model.labels_).all()
print("inertia", abs(float(model.inertia_ - (nearest.min(axis=1) ** 2).sum())) < 1e-6)
"""


class OtherPrograms(ToolTest):
    def expected(self):
        total = sum(range(1000)) + 1000
        for i in range(100):
            total = 2 * (total % 1000003) + i
        return f"sum {total} of 2 threads\n"

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def command(self, *words):
        subprocess.run(list(map(str, words)), check=True, cwd=self.folder)

    def assert_loops_run(self, program):
        """The output is right, and all three loops were taken."""
        result = self.tool("run", "-t", 2, "--schedule", "fac2", "--loops", "*=gss", "--", program)
        self.assertEqual((result.returncode, result.stdout), (0, self.expected()), result.stderr)
        self.assertEqual(len(re.findall(r"^\w+\.c:\d+ main .* gss ", result.stderr, re.MULTILINE)), 3, result.stderr)

    def assert_another_runtime_is_answered(self, name, says):
        """A program of clang's that looks for its runtime by this name."""
        if not ARGUMENTS.clang:
            self.skipTest("no clang is installed")
        # Any call that the other library would answer ends the program.
        source = self.file("threads.c", PROGRAM)
        openmp = "-fopenmp=" + name
        self.command(ARGUMENTS.clang, openmp, "-c", source, "-o", "threads.o")
        undefined = subprocess.check_output(["nm", "-u", "threads.o"], text=True, cwd=self.folder)
        calls = [name for name in undefined.split() if name.startswith(("__kmpc_", "omp_"))]
        self.assertIn("__kmpc_fork_call", calls)
        self.file("other.c", "".join(f"void {call}(void) {{ __builtin_trap(); }}\n" for call in calls))
        self.file("other.map", "VERSION { global: *; };\n")
        self.command(ARGUMENTS.gcc, "-shared", "-fPIC", "-w", "other.c", "-o", name + ".so", f"-Wl,-soname,{name}.so",
                     "-Wl,--version-script=other.map")
        self.command(ARGUMENTS.clang, "-g", openmp, "-L.", source, "-o", "threads", f"-Wl,-rpath,{self.folder}")
        self.assertIn(f"[{name}.so]", subprocess.check_output(["readelf", "-d", "threads"], text=True, cwd=self.folder))
        self.assertNotEqual(subprocess.run([self.folder / "threads"], capture_output=True, check=False).returncode, 0)
        for there in ("installed", "missing"):
            with self.subTest(there):
                self.assertIn(says, self.tool("check", "./threads").stdout)
                self.assert_loops_run("./threads")
            (self.folder / (name + ".so")).unlink(missing_ok=True)

    def test_a_program_that_looks_for_libiomp5(self):
        self.assert_another_runtime_is_answered("libiomp5", "Intel's libiomp5, which the patched libomp answers")

    def test_a_program_that_looks_for_libomp_by_the_name_of_llvms_own_builds(self):
        self.assert_another_runtime_is_answered("libomp", "calls of LLVM's and Intel's libomp")

    def test_a_program_of_gccs_whose_libgomp_is_a_link_to_libomp(self):
        """As conda has it."""
        libomp = pathlib.Path(ARGUMENTS.library).resolve().parents[1] / "upstream" / "libomp.so"
        link = self.folder / "libgomp.so.1"
        if not libomp.exists():
            self.skipTest("the unpatched libomp is not built (GIMBAL_BUILD_UPSTREAM)")
        link.symlink_to(libomp)
        self.addCleanup(link.unlink)
        self.command(ARGUMENTS.gcc, "-g", "-O1", "-fopenmp", self.file("threads.c", PROGRAM), "-o", "threads",
                     f"-Wl,-rpath,{self.folder}")
        self.assertIn(str(link), subprocess.check_output(["ldd", "threads"], text=True, cwd=self.folder))
        self.assert_loops_run("./threads")

    def test_programs_of_newer_compilers(self):
        for name in ("clang-19", "gcc-14", "gcc-13"):
            with self.subTest(name):
                if not shutil.which(name):
                    self.skipTest(f"{name} is not installed")
                self.command(name, "-g", "-O1", "-fopenmp", self.file("newer.c", PROGRAM), "-o", name + "-program",
                             "-L", pathlib.Path(ARGUMENTS.library).resolve().parent)
                self.assert_loops_run("./" + name + "-program")

    def test_python_with_a_library_that_has_loops(self):
        self.command(ARGUMENTS.gcc, "-g", "-O1", "-fopenmp", "-shared", "-fPIC", self.file("sums.c", LIBRARY), "-o",
                     "libsums.so")
        said = self.tool("check", "./libsums.so")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        for text in ("calls of gcc's libgomp", "runtime     1  taken", "sums.c:5 sums", "gimbal run -- PROGRAM"):
            self.assertIn(text, said.stdout)
        self.assert_python_loop_runs()

    def test_python_with_a_libgomp_of_another_name(self):
        found = subprocess.check_output([ARGUMENTS.gcc, "-print-file-name=libgomp.so.1"], text=True).strip()
        libgomp = pathlib.Path(found).read_bytes()
        self.assertIn(b"\0libgomp.so.1\0", libgomp)
        (self.folder / "libgompx.so1").write_bytes(libgomp.replace(b"\0libgomp.so.1\0", b"\0libgompx.so1\0"))
        self.command(ARGUMENTS.gcc, "-g", "-O1", "-fopenmp", "-c", "-fPIC", self.file("sums.c", LIBRARY), "-o", "sums.o")
        self.command(ARGUMENTS.gcc, "-shared", "sums.o", "-o", "libsums.so", "-L.", "-l:libgompx.so1",
                     f"-Wl,-rpath,{self.folder}")
        self.assertIn("libgompx.so1", subprocess.check_output(["ldd", "libsums.so"], text=True, cwd=self.folder))
        self.assert_python_loop_runs()

    def assert_python_loop_runs(self):
        result = self.tool("run", "-t", 2, "--schedule", "fac2", "--", sys.executable, self.file("call.py", CALLER))
        self.assertEqual((result.returncode, result.stdout), (0, "999000.0\n"), result.stderr)
        self.assertRegex(result.stderr, r"sums\.c:\d+ sums +1 +1000 +fac2")

    def test_scikit_learn_runs_and_has_no_loop_to_take(self):
        known = [one for one in (sys.executable, "/usr/bin/python3") if shutil.which(one) and subprocess.run(
            [one, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('sklearn') is None)"], check=False,
            env=environment()).returncode == 0]
        if not known:
            self.skipTest("scikit-learn is not installed")
        result = self.tool("run", "-t", 2, "--", known[0], self.file("learn.py", LEARNING))
        self.assertEqual((result.returncode, result.stdout), (0, "inertia True\n"), result.stderr)
        self.assertIn("no loop ran under Gimbal", result.stderr)


if __name__ == "__main__":
    main()
