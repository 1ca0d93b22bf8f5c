/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One function per kind of loop; each counts how often every iteration ran. run_rules.py finds the loops by the names
 * of the functions and by the lines of the pragmas. Exit status: 0 if every iteration ran once. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 500, REPETITIONS = 3 };

static int count[N];
static int failures;

static void mark(int i) {
#pragma omp atomic
    ++count[i];
}

static void check(const char* form, int expected) {
    for (int i = 0; i < N; ++i) {
        if (count[i] == expected) continue;
        printf("FAIL %s: iteration %d ran %d times\n", form, i, count[i]);
        ++failures;
        break;
    }
    memset(count, 0, sizeof count);
}

static void dynamic_combined(void) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; ++i) mark(i);
}

static void dynamic_chunk(void) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < N; ++i) mark(i);
    }
}

static void dynamic_down(void) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 3)
        for (unsigned long long i = N; i > 0; --i) mark((int)i - 1);
    }
}

static void guided_combined(void) {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < N; ++i) mark(i);
}

static void guided_chunk(void) {
#pragma omp parallel
    {
#pragma omp for schedule(guided, 2)
        for (unsigned long long i = 0; i < N; ++i) mark((int)i);
    }
}

/* Every thread must see its iterations in ascending order. */
static void monotonic_dynamic(void) {
#pragma omp parallel
    {
        int last = -1;
#pragma omp for schedule(monotonic : dynamic, 2)
        for (int i = 0; i < N; ++i) {
            if (i <= last) {
#pragma omp atomic
                ++failures;
            }
            last = i;
            mark(i);
        }
    }
}

static void monotonic_combined(void) {
#pragma omp parallel for schedule(monotonic : guided)
    for (int i = 0; i < N; ++i) mark(i);
}

static void ordered_dynamic(void) {
    int next = 0;
#pragma omp parallel for ordered schedule(dynamic, 2)
    for (int i = 0; i < N; ++i) {
        mark(i);
#pragma omp ordered
        {
            if (next != i) ++failures;
            next = i + 1;
        }
    }
}

static void doacross_dynamic(void) {
    static int done[N + 1];
    memset(done, 0, sizeof done);
#pragma omp parallel for ordered(1) schedule(dynamic, 2)
    for (int i = 0; i < N; ++i) {
#pragma omp ordered depend(sink : i - 1)
        if (i > 0 && done[i - 1] != 1) {
#pragma omp atomic
            ++failures;
        }
        done[i] = 1;
        mark(i);
#pragma omp ordered depend(source)
    }
}

static void runtime_loop(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N; ++i) mark(i);
}

static void other_runtime_loop(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N; ++i) mark(i);
}

static void runtime_simd_loop(void) {
#pragma omp parallel for simd schedule(runtime)
    for (int i = 0; i < N; ++i) count[i] += 1;
}

/* Loops in flight at once, of which rules may name any. */
static __attribute__((noinline)) void nowait_first(void) {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < N; ++i) mark(i);
}

static __attribute__((noinline)) void nowait_second(void) {
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < N; ++i) mark(i);
}

static void many_in_flight(void) {
#pragma omp parallel
    for (int k = 0; k < 20; ++k) {
        nowait_first();
        nowait_second();
    }
}

/* Outside of any parallel region: a team of one. */
static __attribute__((noinline)) void no_team(void) {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < N; ++i) mark(i);
}

static void static_loop(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; ++i) mark(i);
}

static void static_chunk_ordered(void) {
#pragma omp parallel for schedule(static, 2) ordered
    for (int i = 0; i < N; ++i) {
#pragma omp ordered
        mark(i);
    }
}

static void plain_loop(void) {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) mark(i);
}

static void some_sections(void) {
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < N / 2; ++i) mark(i);
#pragma omp section
        for (int i = N / 2; i < N; ++i) mark(i);
    }
}

#define RUN(form, expected)     \
    do {                        \
        form();                 \
        check(#form, expected); \
    } while (0)

int main(int count, char** words) {
    (void)words;
    for (int repetition = 0; repetition < REPETITIONS; ++repetition) {
        RUN(dynamic_combined, 1);
        RUN(dynamic_chunk, 1);
        RUN(dynamic_down, 1);
        RUN(guided_combined, 1);
        RUN(guided_chunk, 1);
        RUN(monotonic_dynamic, 1);
        RUN(monotonic_combined, 1);
        RUN(ordered_dynamic, 1);
        RUN(doacross_dynamic, 1);
        RUN(runtime_loop, 1);
        RUN(other_runtime_loop, 1);
        RUN(runtime_simd_loop, 1);
        RUN(many_in_flight, 40);
        RUN(no_team, 1);
        RUN(static_loop, 1);
        RUN(static_chunk_ordered, 1);
        RUN(plain_loop, 1);
        RUN(some_sections, 1);
    }
    if (failures) printf("FAIL %d\n", failures);
    if (count > 1) pause();  // for somebody who kills it
    return failures != 0;
}
