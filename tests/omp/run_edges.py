#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that fork, also while another thread is in its first loop, end where there is little stack, have no room for
what is said, clear their environment, cannot be moved (`-no-pie`), fork while libraries come and go, end while their threads
run loops, change the number of threads, or bind themselves: they run as without Gimbal, and are reported."""
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

# Ends in a thread of so many kB, or in a coroutine.
SMALL_STACK = """
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
static ucontext_t first, other;
static double row[1000];
static void *end(void *nothing) {
    exit(7);
    return nothing;
}
static void end_coroutine(void) { exit(7); }
int main(int count, char **words) {
    const size_t size = count > 2 ? (size_t)atol(words[2]) * 1024 : PTHREAD_STACK_MIN;
    for (int step = 0; step < 5; ++step) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 1000; ++i) row[i] += i;
    }
    if (strcmp(words[1], "thread") == 0) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, size);
        pthread_create(&thread, &attributes, end, NULL);
        pthread_join(thread, NULL);
    }
    getcontext(&other);
    other.uc_stack.ss_sp = malloc(size);
    other.uc_stack.ss_size = size;
    other.uc_link = &first;
    makecontext(&other, end_coroutine, 0);
    swapcontext(&first, &other);
    return 0;
}
"""

# Writes nothing itself. libomp makes a file of its own in its first region.
NO_ROOM = """
#include <sys/resource.h>
static double row[1000];
int main(void) {
    const struct rlimit none = {0, 0};
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    setrlimit(RLIMIT_FSIZE, &none);
    return 7;
}
"""

NO_ENVIRONMENT = """
#include <stdlib.h>
static double row[1000];
int main(void) {
    clearenv();
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    return 7;
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

OTHER_FOLDER = """
#include <unistd.h>
static double row[1000];
int main(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    return chdir("/");
}
"""

LOOP = """
static double row[1000];
int main(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
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

# main() returns while four other threads run loop after loop.
BESIDE_LOOPS = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static long loop(int n) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += i;
    return sum;
}
static void *loops(void *nothing) {
    for (int k = 0;; ++k) loop(100 + k * 37 % 300);
    return nothing;
}
int main(int count, char **words) {
    pthread_t thread;
    loop(100);
    for (int k = 0; k < 4; ++k) pthread_create(&thread, NULL, loops, NULL);
    usleep(20000 + 1000 * atoi(words[count - 1]));
    return 4;
}
"""

# A parallel loop in a region, as one construct: gcc passes no chunk for it.
NESTED = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int i = 0; i < 5; ++i) {
#pragma omp atomic
            ++sum;
        }
    }
    printf("%d\\n", sum);
    return 0;
}
"""

# Loops outside of any region, after the number of threads has changed.
OUTSIDE = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int seen[5] = {0}, threads = 0;
    omp_set_num_threads(4);
#pragma omp parallel reduction(+ : threads)
    ++threads;
    omp_set_num_threads(2);
    for (int turn = 0; turn < 3; ++turn) {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 5; ++i) ++seen[i];
    }
    for (int i = 0; i < 5; ++i) printf("%d ", seen[i]);
    return 0;
}
"""

# Counts iterations that come after a later one on the same thread.
ASCENDING = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int wrong = 0;
    omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 4);
    for (int turn = 0; turn < 20; ++turn) {
#pragma omp parallel reduction(+ : wrong)
        {
            int last = -1;
#pragma omp for schedule(runtime)
            for (int i = 0; i < 400; ++i) {
                wrong += i < last;
                last = i;
                for (volatile int k = 0; k < 20 * i; ++k) continue;
            }
        }
    }
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


class Edges(ToolTest):
    def preloaded(self, program, *words, **more):
        library = pathlib.Path(ARGUMENTS.library).resolve()
        asked = {name: more.pop(name) for name in [*more] if name.isupper()}
        variables = environment(LD_PRELOAD=str(library), OMP_NUM_THREADS="2", GIMBAL_SCHEDULE="runtime", **asked)
        return subprocess.run([program, *words], env=variables, text=True, cwd=self.folder, timeout=600, check=False,
                              **more)

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

    def test_a_program_that_ends_where_there_is_little_stack_is_reported(self):
        for compiler in self.compilers():
            program = self.build(compiler, SMALL_STACK, "-pthread", "-DSMALL_STACK")
            for place in ("thread", "coroutine"):
                for size in ("16", "64"):
                    with self.subTest(compiler=compiler, place=place, size=size):
                        done = self.preloaded(program, place, size, capture_output=True)
                        self.assertEqual(done.returncode, 7, done.stderr)
                        self.assertIn("program.c:", done.stderr)

    def test_a_file_that_has_reached_its_limit_is_no_death(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler), open(self.folder / "said", "w", encoding="utf-8") as file:
                done = self.preloaded(self.build(compiler, NO_ROOM, "-DNO_ROOM"), stdout=file, stderr=file)
                self.assertEqual(done.returncode, 7)

    def test_a_program_that_clears_its_environment_runs(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                program = self.build(compiler, NO_ENVIRONMENT, "-DNO_ENVIRONMENT")
                done = self.preloaded(program, capture_output=True)
                self.assertEqual(done.returncode, 7, done.stderr)
                self.assertIn("program.c:6 main", done.stderr)

    def test_loops_have_names_wherever_the_program_ends_and_whatever_it_was_called_by(self):
        for compiler in self.compilers():
            program = self.build(compiler, OTHER_FOLDER, "-DOTHER_FOLDER")
            loader = subprocess.run(["readelf", "-p", ".interp", program], text=True, capture_output=True, check=True)
            loader = loader.stdout.split()[-1]
            for words in ((f"./{program.name}",), (loader, f"./{program.name}"), ("sh", "-c", f"PATH=.; {program.name}")):
                with self.subTest(compiler=compiler, words=words):
                    self.assertIn("program.c:5 main", self.preloaded(*words, capture_output=True).stderr)

    def test_loops_of_a_program_that_cannot_be_moved_have_names(self):
        for compiler in self.compilers():
            for flags in (("-no-pie",), ("-pie", "-fPIE")):
                with self.subTest(compiler=compiler, flags=flags):
                    program = self.build(compiler, LOOP, *flags)
                    self.assertIn("program.c:4 main", self.preloaded(program, capture_output=True).stderr)
                    self.assertIn("program.c:4 main", self.tool("check", program).stdout)
                    ran = self.tool("run", "--loops", "program.c:4=ss,8", "--", program).stderr
                    self.assertIn("ss,8 (GIMBAL_LOOPS)", ran)

    def test_children_of_a_process_that_loads_libraries_end(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                program = self.build(compiler, LOADER, "-pthread", "-ldl", "-DLOADER")
                done = self.preloaded(program, capture_output=True)
                self.assertEqual((done.returncode, done.stdout), (0, "0\n"), done.stderr)

    def test_a_program_ends_while_its_threads_run_loops(self):
        for compiler in self.compilers():
            program = self.build(compiler, BESIDE_LOOPS, "-pthread", "-DBESIDE_LOOPS")
            for attempt in range(10):
                with self.subTest(compiler=compiler, attempt=attempt):
                    done = self.preloaded(program, str(attempt), capture_output=True)
                    self.assertEqual(done.returncode, 4, done.stderr)

    def test_parallel_loops_in_regions_run_where_threads_are_bound(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                program = self.build(compiler, NESTED, "-DNESTED")
                done = self.preloaded(program, capture_output=True, OMP_PROC_BIND="true")
                self.assertEqual((done.returncode, done.stdout), (0, "10\n"), done.stderr)

    def test_loops_outside_of_regions_run_once_whatever_the_number_of_threads_was(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                done = self.preloaded(self.build(compiler, OUTSIDE, "-DOUTSIDE"), capture_output=True)
                self.assertEqual(done.stdout, "3 3 3 3 3 ", done.stderr)

    def test_a_schedule_that_promises_order_keeps_it_where_a_rule_names_the_loop(self):
        for compiler in self.compilers():
            program = self.build(compiler, ASCENDING, "-DASCENDING")
            for name in ("ich", "static-steal"):
                with self.subTest(compiler=compiler, name=name):
                    done = self.preloaded(program, capture_output=True, GIMBAL_LOOPS=f"program.c={name}")
                    self.assertEqual(done.stdout, "0\n", done.stderr)

    def test_a_child_has_the_mask_that_the_program_gave_its_parent(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                if "clang" in compiler:
                    continue  # libomp itself gives its children all processors
                program = self.build(compiler, BINDS_ITSELF, "-DBINDS")
                self.assertEqual(self.preloaded(program, capture_output=True).returncode, 0)


if __name__ == "__main__":
    main()
