#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that fork while another thread is in its first loop, end where there is little stack, have no room for what
is said, clear their environment, or cannot be moved (`-no-pie`): they run as without Gimbal, and are reported."""
import pathlib
import subprocess
import sys

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


class Edges(ToolTest):
    def preloaded(self, program, *words, **more):
        library = pathlib.Path(ARGUMENTS.library).resolve()
        variables = environment(LD_PRELOAD=str(library), OMP_NUM_THREADS="2", GIMBAL_SCHEDULE="runtime")
        return subprocess.run([program, *words], env=variables, text=True, cwd=self.folder, timeout=600, check=False,
                              **more)

    def test_children_of_a_process_that_is_in_its_first_loop_end(self):
        for compiler in self.compilers():
            program = self.build(compiler, FORKS, "-pthread", "-DFORKS")
            for attempt in range(3):
                with self.subTest(compiler=compiler, attempt=attempt):
                    done = self.preloaded(program, capture_output=True)
                    self.assertEqual((done.returncode, done.stdout), (0, "0\n"), done.stderr)

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


if __name__ == "__main__":
    main()
