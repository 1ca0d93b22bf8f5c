#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Teams of a rank to which another one lends cores: as large as the limits on threads allow, and left alone by questions
for numbers of threads outside of regions. The other rank is a page of memory here, so that no MPI is needed."""
import json
import pathlib
import unittest

import tool_test

STEPS = 24
ITERATIONS = 48

# usage: program "serial"|"": whether the serial part asks for a number after each region.
PROGRAM = f"""
enum {{ kSteps = {STEPS}, kIterations = {ITERATIONS} }};
""" + """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
enum { kSlotBytes = 4096 };
static _Alignas(128) unsigned char node[2 * kSlotBytes];
static int runs[kIterations];
/* A node of eight processors: enough for two ranks of four threads. */
long sysconf(int name) {
    long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    return name == _SC_NPROCESSORS_ONLN ? 8 : real(name);
}
int main(int count, char **words) {
    void (*attach)(void *, unsigned long, int, int) =
        (void (*)(void *, unsigned long, int, int))dlsym(RTLD_DEFAULT, "gimbal_rank_cores_attach");
    attach(node, sizeof node, 0, 2);
    const uint64_t offer = (uint64_t)1 << 32 | 4; /* of the other rank: four free cores */
    memcpy(node + kSlotBytes, &offer, sizeof offer);
    long asked = 0;
    for (int step = 0; step < kSteps; ++step) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < kIterations; ++i) {
            const struct timespec time = {0, 3000000}; /* long beside the start of the team */
            nanosleep(&time, NULL);
#pragma omp atomic
            ++runs[i];
        }
        if (count > 1 && strcmp(words[1], "serial") == 0) asked += omp_get_thread_num() + omp_get_num_threads();
    }
    for (int i = 0; i < kIterations; ++i)
        if (runs[i] != kSteps) printf("iteration %d ran %d times\\n", i, runs[i]);
    printf("%ld\\n", asked);
    return 0;
}
"""


class ElasticTeams(tool_test.ToolTest):
    def record(self, program, threads, *words, **more):
        """Of a rank with so many threads, and what it printed on standard error."""
        file = self.folder / "run.json"
        file.unlink(missing_ok=True)
        library = str(pathlib.Path(tool_test.ARGUMENTS.library).resolve())
        done = self.preloaded(program, *words, capture_output=True, GIMBAL_ELASTIC="on", GIMBAL_RANK_THREADS=threads,
                              OMP_NUM_THREADS=threads, GIMBAL_OUTPUT=str(file), LD_PRELOAD=library, **more)
        asked = STEPS if words else 0
        self.assertEqual((done.returncode, done.stdout), (0, f"{asked}\n"), done.stderr)
        record = json.loads(file.read_text())
        self.assertEqual([loop["iterations"] for loop in record["loops"]], [STEPS * ITERATIONS], done.stderr)
        return record, done.stderr

    def record_that_borrows(self, program, threads, *words, **more):
        """The same; where the machine is busy the region may spend too much time outside of its loop: then once more."""
        for _ in range(5):
            record, said = self.record(program, threads, *words, **more)
            if self.borrowed_s(record) > 0:
                break
        return record, said

    def borrowed_s(self, record):
        return sum(loop["borrowed_s"] for loop in record["loops"])

    def test_a_team_is_as_large_as_the_limits_allow(self):
        for compiler in self.compilers():
            program = self.build(compiler, PROGRAM, "-O1", "-rdynamic", "-ldl")
            # Without a limit: eight threads. Else: how many, and whether some of them work on others' cores.
            for limit, works in ((None, True), (6, True), (4, False), (3, False), (2, False)):
                for name in ("OMP_THREAD_LIMIT", "KMP_DEVICE_THREAD_LIMIT"):
                    limits = {name: str(limit)} if limit else {}
                    with self.subTest(compiler=compiler, **limits):
                        run = self.record_that_borrows if works else self.record
                        record, said = run(program, "4", **limits)
                        self.assertEqual(self.borrowed_s(record) > 0, works, said)
                        workers = [len(loop["per_worker"]) for loop in record["loops"]]
                        self.assertEqual(workers, [min(limit or 8, 8)], said)
                        self.assertNotIn("with 8 threads", said)

    def test_questions_outside_of_regions_are_of_no_region(self):
        for compiler in self.compilers():
            program = self.build(compiler, PROGRAM, "-O1", "-rdynamic", "-ldl")
            with self.subTest(compiler=compiler):
                record, said = self.record_that_borrows(program, "1", "serial")
                self.assertGreater(self.borrowed_s(record), 0, said)
                self.assertEqual(record["regions_with_numbers"], 0, said)


if __name__ == "__main__":
    tool_test.main()
