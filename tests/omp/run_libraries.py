#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries with loops that are unloaded and loaded again elsewhere; files that are replaced while they run."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tool_test import ARGUMENTS, ToolTest, main  # noqa: E402

PLUGIN = """
double sweep(int n) {
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += i % 2;
    return sum;
}
"""

# The loop runs under a schedule of OpenMP's own, then its library moves, and nothing can be read where it was.
MOVES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
typedef double sweep(int n);
int main(void) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    void *plugin = dlopen("./libplugin.so", RTLD_NOW);
    sweep *run = (sweep *)dlsym(plugin, "sweep");
    Dl_info info;
    dladdr(run, &info);
    omp_set_schedule(omp_sched_static, 0);
    run(1000);
    omp_set_schedule(kind, chunk);
    dlclose(plugin);
    if (mmap(info.dli_fbase, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
        return 77;
    plugin = dlopen("./libplugin.so", RTLD_NOW);
    run = (sweep *)dlsym(plugin, "sweep");
    double sum = 0;
    for (int step = 0; step < 10; ++step) sum += run(1000);
    printf("%g\\n", sum);
    return 0;
}
"""


class Libraries(ToolTest):
    @classmethod
    def build_plugin(cls):
        """By clang, whose loops have names."""
        (cls.folder / "plugin.c").write_text(PLUGIN)
        subprocess.run([ARGUMENTS.clang, "-g", "-O2", "-fopenmp", "-shared", "-fPIC", "-o", "libplugin.so", "plugin.c"],
                       check=True, cwd=cls.folder)

    def test_a_library_that_has_moved_is_looked_at_where_it_is(self):
        if not ARGUMENTS.clang:
            self.skipTest("no clang")
        self.build_plugin()
        program = self.build(ARGUMENTS.clang, MOVES, "-DMOVES", "-ldl")
        done = self.tool("run", "-t", "2", "--loops", "other.c=fac2", "--", program,
                         GIMBAL_CACHE=str(self.folder / "cache"))
        if done.returncode == 77:
            self.skipTest("the library's place was taken at once")
        self.assertEqual((done.returncode, done.stdout), (0, "5000\n"), done.stderr)
        self.assertIn("plugin.c:4 sweep", done.stderr)


if __name__ == "__main__":
    main()
