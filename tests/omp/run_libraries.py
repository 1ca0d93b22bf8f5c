#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries whose loops run while they are loaded; that are unloaded and loaded again elsewhere; other ones that come
to lie where they were; files that are replaced while they run."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tool_test import ARGUMENTS, ToolTest, environment, main  # noqa: E402

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

# Loads libraries one after the other, "name:calls" each, all at one address, and runs the function of each so often:
# from the serial part, or (ORPHANED) in a region of its own. Meanwhile another thread runs a loop of the program's.
IN_TURN = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef double sweep(int n);
static volatile int done;
static void *others(void *wrong) {
    while (!done) {
        double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int i = 0; i < 500; ++i) sum += i;
        *(int *)wrong += sum != 124750;
    }
    return wrong;
}
static double run(sweep *loop, int n, int calls) {
    double all = 0;
    for (int k = 0; k < calls; ++k) {
        double sum = 0;
#ifdef ORPHANED
#pragma omp parallel reduction(+ : sum)
#endif
        sum += loop(n);
        all += sum;
    }
    return all;
}
int main(int count, char **words) {
    pthread_t thread;
    sweep *first = NULL;
    int wrong = 0, wrong_there = 0;
    pthread_create(&thread, NULL, others, &wrong_there);
    const int n = atoi(words[1]);
    for (int k = 2; k < count; ++k) {
        char *calls = strchr(words[k], ':');
        *calls++ = 0;
        void *library = dlopen(words[k], RTLD_NOW);
        sweep *loop = (sweep *)dlsym(library, "sweep");
        if (first && loop != first) exit(77);
        first = loop;
        wrong += run(loop, n, atoi(calls)) != (double)(n / 2) * atoi(calls);
        if (dlclose(library) != 0) return 2;
    }
    done = 1;
    pthread_join(thread, NULL);
    return wrong + wrong_there != 0;
}
"""

# In a region of its own, or (ORPHANED) in its caller's.
SWEEP = """
double sweep(int n) {
    double sum = 0;
#ifdef ORPHANED
#pragma omp for schedule(runtime) nowait
#else
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
#endif
    for (int i = 0; i < n; ++i) sum += i % 2;
    return sum;
}
"""

# Loads a library, runs its loop and unloads it, time and again; how many kB are resident early and late.
AGAIN = """
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
static long resident_kb(void) {
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fscanf(file, "%ld %ld", &all, &resident) != 2) _exit(3);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}
int main(void) {
    for (int k = 1; k <= 22000; ++k) {
        void *library = dlopen(k % 2 ? "./libone.so" : "./libtwo.so", RTLD_NOW);
        ((double (*)(int))dlsym(library, "sweep"))(100);
        dlclose(library);
        if (k == 2000 || k == 22000) printf("%ld ", resident_kb());
    }
    return 0;
}
"""

# Runs a loop and has its file, or its library's, replaced.
REPLACED = """
#include <dlfcn.h>
#include <stdlib.h>
int main(int count, char **words) {
    double (*loop)(int) = (double (*)(int))dlsym(dlopen("./libmine.so", RTLD_NOW), "sweep");
    double row[1000];
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] = i;
    for (int k = 0; k < 5; ++k) loop(1000);
    return row[7] != 7 || system(words[1]) != 0;
}
"""

# A constructor whose team's loop is opened by a worker, while its thread 0 holds the loader's lock.
CONSTRUCTOR = """
#include <unistd.h>
int omp_get_thread_num(void);
volatile double sink;
__attribute__((constructor)) static void begin(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) usleep(200000);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 1000; ++i) sink = i;
    }
}
"""

LOADS = """
#include <dlfcn.h>
int main(void) {
#pragma omp parallel num_threads(2)
    {
    }
    return dlopen("./libbegins.so", RTLD_NOW) == 0;
}
"""

# Loads a library that has brought libomp along, lets a thread of its own run the library's loop, and unloads it. The
# team of that thread spins or sleeps in libomp.
BRINGS_LIBOMP = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static double (*loop)(int);
static volatile int ran, end;
static void *run(void *nothing) {
    loop(1000);
    ran = 1;
    while (!end) usleep(1000);
    return nothing;
}
int main(void) {
    pthread_t thread;
    void *library = dlopen("./libbrings.so", RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    loop = (double (*)(int))dlsym(library, "sweep");
    pthread_create(&thread, NULL, run, NULL);
    while (!ran) usleep(1000);
    loop(1000);
    dlclose(library);
    usleep(300000);
    library = dlopen("./libbrings.so", RTLD_NOW);
    loop = (double (*)(int))dlsym(library, "sweep");
    printf("%g\\n", loop(1000));
    end = 1;
    pthread_join(thread, NULL);
    return 0;
}
"""


class Libraries(ToolTest):
    def test_libomp_stays_where_the_library_that_has_brought_it_is_unloaded(self):
        lib = str(pathlib.Path(ARGUMENTS.library).resolve().parent)
        (self.folder / "brings.c").write_text(SWEEP)
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                subprocess.run([compiler, "-g", "-fopenmp", "-fPIC", "-c", "brings.c"], check=True, cwd=self.folder)
                # Without -fopenmp here: libomp has the functions that gcc's code calls.
                subprocess.run([compiler, "-shared", "-o", "libbrings.so", "brings.o", "-L", lib, f"-Wl,-rpath,{lib}",
                                "-lomp"], check=True, cwd=self.folder)
                (self.folder / "main.c").write_text(BRINGS_LIBOMP)
                subprocess.run([compiler, "-o", "brings", "main.c", "-pthread", "-ldl"], check=True, cwd=self.folder)
                done = subprocess.run(["./brings"], env=environment(OMP_NUM_THREADS="3", OMP_SCHEDULE="gss"),
                                      cwd=self.folder, text=True, capture_output=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, "500\n"), done.stderr)

    def test_no_loop_of_a_constructor_waits_for_the_loader(self):
        program = self.build(ARGUMENTS.gcc, LOADS, "-DLOADS", "-ldl")
        (self.folder / "begins.c").write_text(CONSTRUCTOR)
        subprocess.run([ARGUMENTS.gcc, "-g", "-fopenmp", "-shared", "-fPIC", "-o", "libbegins.so", "begins.c"],
                       check=True, cwd=self.folder)
        # What loads a library when it is first needed: who steals from near victims, and rules by name.
        for asked in ({"GIMBAL_SCHEDULE": "lws-steal"}, {"GIMBAL_SCHEDULE": "vsched"},
                      {"GIMBAL_SCHEDULE": "gss", "GIMBAL_LOOPS": "begins.c=fac2"}):
            with self.subTest(**asked):
                variables = environment(LD_PRELOAD=str(pathlib.Path(ARGUMENTS.library).resolve()), **asked)
                done = subprocess.run([program], env=variables, cwd=self.folder, text=True, capture_output=True,
                                      timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                used = "fac2 (GIMBAL_LOOPS)" if "GIMBAL_LOOPS" in asked else asked["GIMBAL_SCHEDULE"]
                self.assertIn(used, done.stderr)

    def test_a_library_that_has_moved_is_looked_at_where_it_is(self):
        if not ARGUMENTS.clang:
            self.skipTest("no clang")
        self.build_library(ARGUMENTS.clang, "plugin")  # clang's loops have names
        program = self.build(ARGUMENTS.clang, MOVES, "-DMOVES", "-ldl")
        done = self.tool("run", "-t", "2", "--loops", "other.c=fac2", "--", program,
                         GIMBAL_CACHE=str(self.folder / "cache"))
        if done.returncode == 77:
            self.skipTest("the library's place was taken at once")
        self.assertEqual((done.returncode, done.stdout), (0, "5000\n"), done.stderr)
        self.assertIn("plugin.c:7 sweep", done.stderr)

    def build_library(self, compiler, name, *flags, lines=0):
        """Of one loop, in `name`.c, after so many empty lines."""
        (self.folder / f"{name}.c").write_text("\n" * lines + SWEEP)
        subprocess.run([compiler, "-g", "-O2", "-fopenmp", "-shared", "-fPIC", *flags, "-o", f"lib{name}.so",
                        f"{name}.c"], check=True, cwd=self.folder)

    def run_in_turn(self, program, n, *turns, **more):
        """Its loops by the file they are in."""
        words = [f"./lib{name}.so:{calls}" for name, calls in turns]
        for _ in range(10):
            done = self.tool("run", "-t", "2", "--output", "turns.json", "--", program, n, *words, **more)
            if done.returncode != 77:
                break
        else:
            self.skipTest("the libraries lie at several addresses")
        self.assertEqual(done.returncode, 0, done.stderr)
        loops = json.loads((self.folder / "turns.json").read_text())["loops"]
        return {loop["name"].split(":")[0]: loop for loop in loops if "sweep" in loop["name"]}

    TURNS = (("one", 300), ("two", 200), ("one", 100), ("two", 50))

    def test_libraries_that_lie_at_one_address_in_turn_have_loops_of_their_own(self):
        for compiler in self.compilers():
            for flags in ((), ("-DORPHANED",)):
                program = self.build(compiler, IN_TURN, "-DIN_TURN", "-pthread", "-ldl", *flags)
                for name in ("one", "two"):
                    self.build_library(compiler, name, *flags)
                for schedule in ("runtime", "gss"):
                    for n in (1000, 100000):
                        with self.subTest(compiler=compiler, flags=flags, schedule=schedule, n=n):
                            loops = self.run_in_turn(program, n, *self.TURNS, GIMBAL_SCHEDULE=schedule)
                            calls = {name: loop["calls"] for name, loop in loops.items()}
                            self.assertEqual(sorted(calls), ["one.c", "two.c"])
                            self.assertEqual(sum(calls.values()), 650)
                            # Of regions of the program itself a few executions count to the library before.
                            self.assertLessEqual(abs(calls["two.c"] - 250), 30 if flags else 0)

    def test_a_rule_for_a_loop_is_none_for_the_one_that_comes_to_lie_there(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                program = self.build(compiler, IN_TURN, "-DIN_TURN", "-pthread", "-ldl")
                for name in ("one", "two"):
                    self.build_library(compiler, name)
                loops = self.run_in_turn(program, 100000, *self.TURNS, GIMBAL_SCHEDULE="gss", GIMBAL_LOOPS="one.c=fac2")
                used = {name: {use["schedule"] for use in loop["schedules"]} for name, loop in loops.items()}
                self.assertEqual(used, {"one.c": {"fac2"}, "two.c": {"gss"}})

    def test_a_library_that_is_loaded_again_and_again_takes_no_more_memory(self):
        for name in ("one", "two"):
            self.build_library(ARGUMENTS.gcc, name)
        program = self.build(ARGUMENTS.gcc, AGAIN, "-DAGAIN", "-ldl")
        done = self.tool("run", "-t", "1", "--", program, GIMBAL_SCHEDULE="gss")
        self.assertEqual(done.returncode, 0, done.stderr)
        early_kb, late_kb = map(int, done.stdout.split())
        self.assertLess(late_kb - early_kb, 1500)  # 630 by the loader alone, 3200 with an entry of ours for each time

    def replaced(self, command, *flags, alone=False):
        """What is said of a program and a library of loops that gcc built, where the command runs before the end."""
        self.build_library(ARGUMENTS.gcc, "mine", *flags)
        program = self.build(ARGUMENTS.gcc, REPLACED, "-DREPLACED", "-ldl", *flags)
        (self.folder / "own").unlink(missing_ok=True)
        os.link(program, self.folder / "own")
        if alone:
            variables = environment(LD_PRELOAD=str(pathlib.Path(ARGUMENTS.library).resolve()), GIMBAL_SCHEDULE="gss")
            done = subprocess.run(["./own", f"unset LD_PRELOAD; {command}"], env=variables, cwd=self.folder, text=True,
                                  capture_output=True, timeout=600, check=False)
        else:
            done = self.tool("run", "-t", "2", "--", "./own", command, GIMBAL_SCHEDULE="gss")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_library_that_was_built_anew_does_not_name_the_loops_of_the_one_that_ran(self):
        for flags in ((), ("-Wl,--build-id=none",)):
            with self.subTest(flags=flags):
                self.build_library(ARGUMENTS.gcc, "mine", *flags, lines=70)
                (self.folder / "libmine.so").rename(self.folder / "new.so")
                said = self.replaced("true", *flags)
                self.assertIn("mine.c:7 sweep", said)
                self.assertNotIn("was replaced", said)
                said = self.replaced("mv new.so libmine.so", *flags)
                self.assertIn("libmine.so+0x", said)
                self.assertNotIn("mine.c:", said)
                self.assertIn("libmine.so was replaced by another build", said)

    def test_a_program_that_was_built_anew_is_named_by_the_file_that_runs_or_not_at_all(self):
        for flags in ((), ("-Wl,--build-id",)):
            for alone in (True, False):
                with self.subTest(flags=flags, alone=alone):
                    other = self.build(ARGUMENTS.gcc, "\n" * 70 + REPLACED, "-DOTHER", "-ldl", *flags)
                    said = self.replaced(f"mv {other} own", *flags, alone=alone)
                    # `gimbal run` looks when the program is gone.
                    self.assertIn("program.c:7 main" if alone else "own+0x", said)
                    self.assertEqual("own was replaced by another build" in said, not alone)
                    self.assertNotIn("program.c:77", said)


if __name__ == "__main__":
    main()
