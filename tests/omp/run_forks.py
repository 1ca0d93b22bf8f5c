#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that fork, also while another thread is in its first loop, while libraries come and go, or after they have
bound themselves: parents and children run as without Gimbal, and are reported."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tool_test import ARGUMENTS, ToolTest, environment, main  # noqa: E402

# The main thread takes 2 ms for each allocation of its first loops, while another one forks. Prints how many children
# did not end.
FORKS = """
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void *__libc_malloc(size_t size);
static volatile int slow, done;
static __thread int is_main;
static int hung;
static double row[1000];
void *malloc(size_t size) {
    if (slow && is_main) usleep(2000);
    return __libc_malloc(size);
}
static int ended(pid_t child) {
    for (int ms = 0; ms < 20000; ++ms, usleep(1000))
        if (waitpid(child, NULL, WNOHANG) != 0) return 1;
    return 0;
}
static void *forks(void *nothing) {
    while (!done && !hung) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        if (ended(child)) continue;
        ++hung;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return nothing;
}
int main(void) {
    pthread_t thread;
    is_main = slow = 1;
    pthread_create(&thread, NULL, forks, NULL);
    for (int step = 0; step < 5; ++step) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 1000; ++i) row[i] += i;
    }
    slow = 0;
    done = 1;
    pthread_join(thread, NULL);
    printf("%d\\n", hung);
    return 0;
}
"""

# A child that outlives its parent, and runs one loop of its parent's two.
CHILD = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static double row[1000];
static void run(int count, int steps) {
    for (int step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < count; ++i) row[i] += i;
    }
}
int main(void) {
    int waits[2];
    char none;
    if (pipe(waits) != 0) return 1;
    run(1000, 20);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    if (fork() != 0) return 0;
    close(waits[1]);
    run(100, 3);
    while (read(waits[0], &none, 1) > 0) {}
    return 0;
}
"""

# Libraries come and go in another thread while this one forks. Prints how many children did not just end.
LOADER = """
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int done;
static double row[1000];
static void *load(void *nothing) {
    while (!done) {
        void *library = dlopen("libz.so.1", RTLD_NOW);
        if (library) dlclose(library);
    }
    return nothing;
}
int main(void) {
    pthread_t thread;
    int wrong = 0;
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    pthread_create(&thread, NULL, load, NULL);
    for (int k = 0; k < 300 && !wrong; ++k) {
        const pid_t child = fork();
        int status = 1, ms = 0;
        if (child == 0) _exit(0);
        while (ms < 20000 && waitpid(child, &status, WNOHANG) == 0) usleep(1000), ++ms;
        if (ms == 20000) kill(child, SIGKILL);
        wrong += status != 0;
    }
    done = 1;
    pthread_join(thread, NULL);
    printf("%d\\n", wrong);
    return 0;
}
"""

# The main thread binds itself to its last processor and forks. Returns whether the child's mask is another one.
BINDS_ITSELF = """
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
static double row[1000];
int main(void) {
    cpu_set_t all, one;
    int last = 0, status = 1;
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    sched_getaffinity(0, sizeof all, &all);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &all)) last = cpu;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    sched_setaffinity(0, sizeof one, &one);
    const pid_t child = fork();
    if (child == 0) {
        sched_getaffinity(0, sizeof all, &all);
        _exit(!CPU_EQUAL(&all, &one));
    }
    waitpid(child, &status, 0);
    return status != 0;
}
"""


class Forks(ToolTest):
    def test_children_of_a_process_that_is_in_its_first_loop_end(self):
        for compiler in self.compilers():
            program = self.build(compiler, FORKS, "-pthread", "-DFORKS")
            for attempt in range(3):
                with self.subTest(compiler=compiler, attempt=attempt):
                    done = self.preloaded(program, capture_output=True)
                    self.assertEqual((done.returncode, done.stdout), (0, "0\n"), done.stderr)

    def test_a_child_leaves_its_parents_files_as_they_are(self):
        names = {"GIMBAL_OUTPUT": "run.json", "GIMBAL_RECORD": "steps.csv", "GIMBAL_LOOP_STATS": "stats.json"}
        for compiler in self.compilers():
            with self.subTest(compiler=compiler), tempfile.TemporaryDirectory(dir=self.folder) as folder:
                folder = pathlib.Path(folder)
                variables = environment(LD_PRELOAD=str(pathlib.Path(ARGUMENTS.library).resolve()), OMP_NUM_THREADS="2",
                                        GIMBAL_SCHEDULE="fac", **names)
                # Both have ended when nobody has their output any more.
                subprocess.run(f"{self.build(compiler, CHILD, '-DCHILD')} 2>&1 | cat", shell=True, env=variables,
                               cwd=folder, check=True, capture_output=True, timeout=600)
                calls = {file.name: sum(loop["calls"] for loop in json.loads(file.read_text())["loops"])
                         for file in folder.glob("run*.json")}
                self.assertEqual(sorted(calls.values()), [3, 21])
                self.assertEqual(calls["run.json"], 21)
                rows = {file.name: len(file.read_text().splitlines()) - 1 for file in folder.glob("*.csv")}
                self.assertEqual(sorted(rows.values()), [3, 21])
                self.assertEqual(rows["steps.csv"], 21)
                self.assertEqual({name[3:-5] for name in calls}, {name[5:-4] for name in rows})
                self.assertEqual(len(json.loads((folder / "stats.json").read_text())["loops"]), 2)

    def test_children_of_a_process_that_loads_libraries_end(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                program = self.build(compiler, LOADER, "-pthread", "-ldl", "-DLOADER")
                done = self.preloaded(program, capture_output=True)
                self.assertEqual((done.returncode, done.stdout), (0, "0\n"), done.stderr)

    def test_a_child_has_the_mask_that_the_program_gave_its_parent(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                if "clang" in compiler:
                    continue  # libomp itself gives its children all processors
                program = self.build(compiler, BINDS_ITSELF, "-DBINDS")
                self.assertEqual(self.preloaded(program, capture_output=True).returncode, 0)


if __name__ == "__main__":
    main()
