#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of gcc's around the edges of OpenMP: what they had from libgomp they have from the preloaded libomp, too.
Each runs without Gimbal first."""
import ctypes
import glob
import json
import os
import pathlib
import signal
import subprocess

import tool_test

# A library with a lock and a critical section in destructors, which run after those of what was preloaded.
LIBRARY = """
#include <omp.h>
#include <stdio.h>
static omp_lock_t lock;
static omp_nest_lock_t nest;
static long total;
__attribute__((constructor)) static void begin(void) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
}
void add(int n) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
#pragma omp critical(sums)
        total += i;
    }
}
__attribute__((destructor)) static void end(void) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_destroy_nest_lock(&nest);
    add(10);
    fprintf(stderr, "%ld\\n", total);
}
"""
USER = """
#include <stdio.h>
void add(int n);
int main(void) {
    add(100);
    printf("done\\n");
    return 0;
}
"""

# Several threads of the program begin with OpenMP at the same time: processors in all, and places.
FIRST = """
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
enum { THREADS = 6 };
static pthread_barrier_t all;
static int used[CPU_SETSIZE];
static void *begin(void *places) {
    pthread_barrier_wait(&all);
#pragma omp parallel num_threads(2)
    {
        cpu_set_t mask;
        sched_getaffinity(0, sizeof(mask), &mask);
        for (int i = 0; i < CPU_SETSIZE; ++i)
            if (CPU_ISSET(i, &mask)) __atomic_store_n(&used[i], 1, __ATOMIC_RELAXED);
    }
    *(int *)places = omp_get_num_places();
    return 0;
}
int main(void) {
    pthread_t threads[THREADS];
    int places[THREADS], processors = 0;
    pthread_barrier_init(&all, 0, THREADS);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, begin, &places[i]);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
    for (int i = 0; i < CPU_SETSIZE; ++i) processors += used[i];
    printf("%d %d\\n", processors, places[0]);
    return 0;
}
"""

# What a program hears where nobody asks for places, how nested regions are allowed, and a team that is too large.
ASKS = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    omp_set_nested(1);
    int threads = 0;
#pragma omp parallel num_threads(8)
#pragma omp single
    threads = omp_get_num_threads();
    printf("%d %d %d %d %d\\n", omp_get_num_places(), omp_get_place_num(), omp_get_partition_num_places(),
           omp_get_nested(), threads);
    return 0;
}
"""

# How large teams are after the main thread has given a processor away; chunks of the schedule in force; teams.
SIZES = """
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
int main(void) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof(mask), &mask);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    sched_setaffinity(0, sizeof(mask), &mask);
    int threads = 0, teams = 0, chunk = 0;
    omp_sched_t kind;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp teams num_teams(5) reduction(+ : teams)
    teams += 1;
    omp_get_schedule(&kind, &chunk);
    printf("%d %d %d %d\\n", threads, teams, kind & 7, chunk);
    return 0;
}
"""

# Threads that the program cancels while they are in regions.
CANCELLED = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static long sum(int n) {
    long all = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : all)
    for (int i = 0; i < n; ++i) all += i % 5;
    return all;
}
static void *work(void *nothing) {
    for (;;) {
        sum(100);
        pthread_testcancel();
    }
    return nothing;
}
int main(void) {
    for (int round = 0; round < 30; ++round) {
        pthread_t threads[3];
        for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, 0);
        usleep(round == 0 ? 300 : 2000); /* at first while the runtime begins */
        for (int i = 0; i < 3; ++i) pthread_cancel(threads[i]);
        for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
    }
    printf("%ld\\n", sum(1000));
    return 0;
}
"""

# Ends without any of the process's last functions: by _exit(), or with a word by a signal. Its number.
LEAVES = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words) {
    int sum = 0;
    (void)words;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; ++i) sum += i;
    printf("%d\\n", (int)getpid());
    fflush(stdout);
    if (count > 1) raise(SIGKILL);
    _exit(sum == 45 ? 0 : 1);
}
"""


# What a variable may hold; half of it libgomp refuses.
VALUES = {
    "OMP_NUM_THREADS": ("1", "3", "4,2", "2,3,2", " +3 , 2 ", "", "0", "x", "1 6", "2,", "++4", "+ 4"),
    "OMP_THREAD_LIMIT": ("2", "4", "0", "4 2"),
    "OMP_NUM_TEAMS": ("3", "0"),
    "OMP_TEAMS_THREAD_LIMIT": ("3", "0"),
    "OMP_MAX_ACTIVE_LEVELS": ("1", "2", "5", "-1", "x", ""),
    "OMP_DYNAMIC": ("FALSE", "1"),  # true: libgomp's teams go by the machine's load
    "OMP_NESTED": ("true", "false"),
    "OMP_CANCELLATION": ("true", "yes"),
    "OMP_SCHEDULE": ("static", " static , 4", "dynamic,3", "GUIDED,7", "auto", "monotonic:dynamic,3",
                     "nonmonotonic : guided", "dynamic,0", "dynamic,", "guided,x", "static,x",
                     "dynamic,+4", "dynamic,3000000000"),
    "OMP_WAIT_POLICY": ("active", "passive", "x"),
    "OMP_PROC_BIND": ("true", "false", "close", "spread", "primary", "spread,close", "x", ""),
    "OMP_PLACES": ("threads", "cores", "sockets", " threads", "threads(1)", "{%d}", "{%d},{%d}", "{%d}:1",
                   "{%d,%d},!{%d}", "core", "x", ""),
    "GOMP_CPU_AFFINITY": ("%d", "%d %d", "x"),
    "OMP_DEFAULT_DEVICE": ("0", "5", "-1", "x"),
    "OMP_MAX_TASK_PRIORITY": ("5", "-1"),
    "OMP_STACKSIZE": ("2M", "512", " 1 G", "x", "4096B", "2097152B"),
    "OMP_TARGET_OFFLOAD": ("disabled", "x"),
    "OMP_DISPLAY_AFFINITY": ("false", "x"),
}
# Several at once: each with each other would take an hour.
TOGETHER = (
    {"OMP_NUM_THREADS": "3,2", "OMP_PROC_BIND": "true"},
    {"OMP_NUM_THREADS": "2,2", "OMP_PROC_BIND": "spread,close", "OMP_PLACES": "threads"},
    {"OMP_NUM_THREADS": "4", "OMP_THREAD_LIMIT": "3"},
    {"OMP_NESTED": "true", "OMP_THREAD_LIMIT": "4", "OMP_NUM_THREADS": "2"},
    {"OMP_NESTED": "true", "OMP_MAX_ACTIVE_LEVELS": "1"},
    {"OMP_PROC_BIND": "false", "OMP_PLACES": "cores"},
    {"OMP_PROC_BIND": "close", "OMP_PLACES": "x"},
    {"OMP_PLACES": "cores", "GOMP_CPU_AFFINITY": "x"},
    {"OMP_PROC_BIND": "false", "GOMP_CPU_AFFINITY": "%d"},
    {"OMP_STACKSIZE": "2M", "GOMP_STACKSIZE": "4096"},
)


def comparable(name, answer, variables):
    """One of like_libgomp/answers.c, without what libomp has otherwise and no program minds."""
    stage, question = name.split(".")
    binds = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"} & set(variables)
    if question in ("supported_active_levels", "max_active_levels", "levels"):
        return min(answer, 255)  # libomp has no limit
    if question == "nested" and stage == "regions":
        return None  # of a thread there, which libgomp takes for inactive; gone from OpenMP
    if question in ("schedule", "chunk") and stage in ("first", "regions") and "OMP_SCHEDULE" not in variables:
        return None  # of no schedule at all: dynamic,1 and static
    if question == "chunk" and variables.get("OMP_SCHEDULE", "").startswith("auto"):
        return None
    if question == "proc_bind":
        return answer != 0  # libomp: true is spread, and GOMP_CPU_AFFINITY something else
    if binds and (question == "num_procs" or
                  question == "partition" and variables.get("OMP_PROC_BIND", "true") == "true"):
        return None  # libgomp counts all places, libomp those of the thread
    if stage == "teams" and "OMP_THREAD_LIMIT" in variables:
        return None  # teams are threads in libomp, which this limits
    return answer


class LikeLibgomp(tool_test.ToolTest):
    maxDiff = None

    def run_program(self, *words, library=True, **variables):
        if library:
            variables["LD_PRELOAD"] = str(pathlib.Path(tool_test.ARGUMENTS.library).resolve())
        environment = tool_test.environment(**{"GIMBAL_REPORT": "off", **variables})
        done = subprocess.run(list(map(str, words)), env=environment,
                              cwd=self.folder, text=True, capture_output=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def assert_same(self, *words, rounds=1, **variables):
        expected = self.run_program(*words, library=False, **variables)
        self.assertEqual(expected[0], 0, expected)
        for schedule in ("auto", "fac2"):
            for _ in range(rounds):
                self.assertEqual(self.run_program(*words, **{**variables, "GIMBAL_SCHEDULE": schedule}), expected)

    def build_gnu(self, source, *flags):
        return self.build(tool_test.ARGUMENTS.gcc, source, "-O1", *flags)

    def test_destructors_of_a_library_use_its_locks(self):
        (self.folder / "user.c").write_text(USER)
        self.build_gnu(LIBRARY, "-shared", "-fPIC").rename(self.folder / "libadd.so")
        for compiler in self.compilers():
            user = self.folder / "user"
            subprocess.run([compiler, "-o", user, "user.c", "-L.", "-ladd", f"-Wl,-rpath,{self.folder}"], check=True,
                           cwd=self.folder)
            self.assert_same(user, OMP_NUM_THREADS="3")

    def test_threads_that_begin_together_under_binding(self):
        program = self.build_gnu(FIRST, "-pthread")
        mine = sorted(os.sched_getaffinity(0))
        if len(mine) < 2:
            self.skipTest("one processor")
        places = ",".join(f"{{{one}}}" for one in mine[:2])
        for variables in ({"OMP_PLACES": places}, {"OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "close"},
                          {"GOMP_CPU_AFFINITY": f"{mine[1]} {mine[0]}"}):
            with self.subTest(**variables):
                self.assert_same(program, rounds=15, **variables)

    def test_places_deprecated_functions_and_teams_that_are_too_large(self):
        program = self.build_gnu(ASKS)
        for variables in ({}, {"OMP_NESTED": "true"}, {"OMP_THREAD_LIMIT": "3"}):
            with self.subTest(**variables):
                self.assert_same(program, **variables)

    def answers(self, program, variables, library):
        status, out, err = self.run_program(program, library=library, **variables)
        lines = (line.split() for line in out.splitlines())
        return status, [(name, comparable(name, int(answer), variables)) for name, answer in lines], err

    def test_all_that_can_be_asked_under_each_variable(self):
        program = self.build_gnu((pathlib.Path(__file__).parent / "like_libgomp/answers.c").read_text())
        first = sorted(os.sched_getaffinity(0))
        processors = (first[0], first[-1], first[0])
        for variables in ({}, *({name: value} for name, values in VALUES.items() for value in values), *TOGETHER):
            variables = {name: value % processors[:value.count("%d")] for name, value in variables.items()}
            with self.subTest(**variables):
                self.assertEqual(self.answers(program, variables, True), self.answers(program, variables, False))

    def test_the_kind_of_locks(self):
        program = self.build_gnu(LEAVES)
        for variables, kind in (({}, "tas"), ({"OMP_WAIT_POLICY": " PASSIVE"}, "futex"),
                                ({"OMP_WAIT_POLICY": "active"}, "tas"), ({"KMP_LOCK_KIND": "queuing"}, "queuing")):
            with self.subTest(**variables):
                _, out, err = self.run_program(program, KMP_SETTINGS="1", **variables)
                self.assertIn(f"   KMP_LOCK_KIND={kind}\n", out + err)

    def test_a_main_thread_that_gives_processors_away_after_libomp_has_begun(self):
        program = self.build_gnu(SIZES.replace("int first = 0;", "int first = omp_get_max_threads() * 0;"))
        self.assert_same(program, OMP_SCHEDULE="static,2")

    def test_what_libgomp_ignores_or_reads_otherwise_in_the_environment(self):
        program = self.build_gnu(SIZES)
        for variables in ({}, *({"OMP_NUM_THREADS": value} for value in ("", " ", "0", "-1", "abc", "4,-1", " 3 , 2 ")),
                          *({"OMP_SCHEDULE": value} for value in ("dynamic, 4", " DYNAMIC ,4", "static , 8 ")),
                          {"OMP_THREAD_LIMIT": "0"}, {"OMP_DYNAMIC": "1"}, {"OMP_PLACES": "{0},!{1}"}):
            with self.subTest(**variables):
                expected = self.run_program(program, library=False, **variables)
                found = self.run_program(program, **variables)
                # Without one libgomp's schedule is dynamic,1 and libomp's is static.
                words = slice(0, 4 if "OMP_SCHEDULE" in variables else 2)
                self.assertEqual((found[0], found[1].split()[words]), (0, expected[1].split()[words]), found)
                self.assertNotIn("OMP:", found[2])

    def test_the_numbers_of_selectors_behind_auto_stay(self):
        loop = """
            extern void omp_display_env(int verbose);
            int main(void) {
                for (int k = 0; k < 30; ++k) {
            #pragma omp parallel for schedule(runtime)
                    for (int i = 0; i < 1000; ++i)
                        for (volatile int j = 0; j < i; ++j) {}
                }
                omp_display_env(0);
                return 0;
            }
            """
        selectors = json.loads(self.tool("info", "selectors", "--json").stdout)
        numbers = {one["omp_schedule"]: one["name"] for one in selectors if one["omp_schedule"].startswith("auto,")}
        self.assertIn("auto,5", numbers)
        for compiler in self.compilers():
            program = self.build(compiler, loop, "-O1")
            for schedule, name in numbers.items():
                with self.subTest(compiler=compiler, schedule=schedule):
                    _, _, err = self.run_program(program, OMP_SCHEDULE=schedule, OMP_NUM_THREADS="2")
                    self.assertIn(f"OMP_SCHEDULE='{name}'", err)
            with self.subTest(compiler=compiler, ran="expert"):
                _, _, err = self.run_program(program, OMP_SCHEDULE=" auto , 5", OMP_NUM_THREADS="2",
                                             GIMBAL_REPORT="full")
                self.assertRegex(err, r"main.*\(.*expert.*\)")

    def test_threads_that_are_cancelled_while_they_sleep_at_a_barrier(self):
        program = self.build_gnu(CANCELLED, "-pthread")
        for policy in ("passive", "active"):
            with self.subTest(policy):
                self.assert_same(program, OMP_WAIT_POLICY=policy, OMP_NUM_THREADS="2")

    def test_no_room_for_a_file_of_any_size(self):
        program = self.build_gnu(ASKS)
        for blocks in (0, 1):
            with self.subTest(blocks):
                self.assert_same("sh", "-c", f'ulimit -f {blocks}; "$@" | cat', "sh", program)

    def test_processes_leave_no_page_behind(self):
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("/dev/shm cannot be written")
        libc = ctypes.CDLL(None)
        for compiler in self.compilers():
            program = self.build(compiler, LEAVES, "-O1")
            for words, ended in ((), 0), (("killed",), -signal.SIGKILL):
                with self.subTest(compiler=compiler, ended=ended):
                    watch = libc.inotify_init1(os.O_NONBLOCK)
                    self.addCleanup(os.close, watch)
                    libc.inotify_add_watch(watch, b"/dev/shm", 0x100)  # IN_CREATE
                    status, out, err = self.run_program(program, *words)
                    self.assertEqual((status, err), (ended, ""))
                    name = f"__KMP_REGISTERED_LIB_{int(out)}_"
                    self.assertIn(name.encode(), os.read(watch, 1 << 16), "no page was made")
                    self.assertEqual(glob.glob(f"/dev/shm/{name}*"), [])


if __name__ == "__main__":
    tool_test.main()
