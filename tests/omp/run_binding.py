#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of gcc's bring libgomp, whose start-up binds the main thread before libomp looks where it may run: threads
are bound as the program's own runtime binds them, and masks that others have set stay."""
import os
import shutil
import subprocess
import sys
import unittest

import tool_test
from tool_test import ToolTest, environment

CPUS = sorted(os.sched_getaffinity(0))

# What two threads may run on, each in a line.
SHOW = """
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <omp.h>
void show(void) {
#pragma omp parallel num_threads(2)
    for (int thread = 0; thread < 2; ++thread) {
        if (omp_get_thread_num() == thread) {
            cpu_set_t set;
            sched_getaffinity(0, sizeof set, &set);
            for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
                if (CPU_ISSET(cpu, &set)) printf("%d ", cpu);
            puts("");
        }
#pragma omp barrier
    }
}
"""
MAIN = "void show(void); int main(void) { show(); return 0; }"
BOUND = """
int main(int count, char **words) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(count - 1, &set);
    (void)words;
    sched_setaffinity(0, sizeof set, &set);
    show();
    return 0;
}
"""
OPENED = """
#include <dlfcn.h>
int main(int count, char **words) {
    void *library = count > 1 ? dlopen(words[1], RTLD_NOW) : 0;
    void (*show)(void) = library ? (void (*)(void))dlsym(library, "show") : 0;
    if (!show) return 1;
    show();
    return 0;
}
"""
# What the thread that computes in the background may run on, too: not only the main thread's processor.
WITH_OTHERS = """
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    int most = 0;
    show();
    for (int wait = 0; wait < 200 && most < 2; ++wait, usleep(10000)) {
        DIR *tasks = opendir("/proc/self/task");
        for (struct dirent *task; tasks && (task = readdir(tasks));) {
            cpu_set_t set;
            if (atoi(task->d_name) > 0 && sched_getaffinity(atoi(task->d_name), sizeof set, &set) == 0 &&
                CPU_COUNT(&set) > most)
                most = CPU_COUNT(&set);
        }
        if (tasks) closedir(tasks);
    }
    printf("most %d\\n", most);
    return 0;
}
"""


@unittest.skipUnless(len(CPUS) > 1, "needs two processors")
class Binding(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.direct = cls.compile(SHOW + MAIN, "direct", "-fopenmp")
        cls.library = cls.compile(SHOW, "libshow.so", "-fopenmp", "-shared", "-fPIC")
        cls.through = cls.compile(MAIN, "through", str(cls.library), f"-Wl,-rpath,{cls.folder}")

    @classmethod
    def compile(cls, source, name, *flags):
        (cls.folder / f"{name}.c").write_text(source)
        subprocess.run([tool_test.ARGUMENTS.gcc, "-O1", "-o", name, f"{name}.c", *flags], check=True, cwd=cls.folder)
        return cls.folder / name

    def ours(self, *command, **env):
        result = self.tool("run", "--report", "off", "--", *command, **env)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [line.split() for line in result.stdout.splitlines()]

    def test_threads_are_bound_as_by_the_programs_own_runtime(self):
        first, second = map(str, CPUS[:2])
        places = f"{{{first}}},{{{second}}}"
        for env, expected in (({"OMP_PROC_BIND": "close", "OMP_PLACES": places}, [[first], [second]]),
                              ({"OMP_PLACES": f"{{{second}}},{{{first}}}"}, [[second], [first]]),
                              ({"OMP_PROC_BIND": "close"}, [[first], [second]]),
                              ({"OMP_PROC_BIND": "primary", "OMP_PLACES": places}, [[first], [first]]),
                              ({"GOMP_CPU_AFFINITY": f"{second} {first}"}, [[second], [first]]),
                              ({"OMP_PROC_BIND": "false"}, [list(map(str, CPUS))] * 2)):
            for command in ([self.direct], [self.through]):
                alone = subprocess.run(command, env=environment(**env), text=True, capture_output=True, check=True)
                self.assertEqual([line.split() for line in alone.stdout.splitlines()], expected, (env, "libgomp alone"))
                self.assertEqual(self.ours(*command, **env), expected, (env, command))

    def test_a_library_that_is_opened_later(self):
        program = self.compile(OPENED, "opened", "-ldl")
        self.assertEqual(self.ours(program, self.library, OMP_PROC_BIND="close",
                                   OMP_PLACES=f"{{{CPUS[0]}}},{{{CPUS[1]}}}"), [[str(CPUS[0])], [str(CPUS[1])]])

    def test_a_mask_from_outside_or_the_programs_own_stays(self):
        last = str(CPUS[-1])
        if shutil.which("taskset"):
            self.assertEqual(self.ours("taskset", "-c", last, self.direct, OMP_PROC_BIND="close"), [[last]] * 2)
        bound = self.compile(SHOW + BOUND, "bound", "-fopenmp")
        words = ["x"] * CPUS[1]  # it binds itself to the processor of that number
        self.assertEqual(self.ours(bound, *words, OMP_PROC_BIND="close"), [[str(CPUS[1])]] * 2)

    def test_the_background_is_not_bound_to_the_main_threads_processor(self):
        library = self.compile(SHOW + WITH_OTHERS.replace("int main", "int inside"), "libinside.so", "-fopenmp", "-shared",
                               "-fPIC")
        program = self.compile("int inside(void); int main(void) { return inside(); }", "inside", str(library),
                               f"-Wl,-rpath,{self.folder}")
        for one in (self.compile(SHOW + WITH_OTHERS, "others", "-fopenmp"), program):
            self.assertEqual(self.ours(one, OMP_PROC_BIND="close")[-1], ["most", str(len(CPUS))])


if __name__ == "__main__":
    sys.exit(tool_test.main())
