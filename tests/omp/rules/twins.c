/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One loop whose threads come from two addresses, as they do when a compiler duplicates the code around it. GNU's entry
 * points are called directly, so that it is certain. Half of a team must not follow a rule that the other half does not
 * see. Exit status: 0 if every iteration ran once. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

bool GOMP_loop_nonmonotonic_dynamic_start(long first, long end, long step, long chunk, long* from, long* to);
bool GOMP_loop_nonmonotonic_dynamic_next(long* from, long* to);
void GOMP_loop_end(void);

enum { N = 1000, REPETITIONS = 200 };

static int count[N];

static void draw(bool some, long from, long to) {
    while (some) {
        for (long i = from; i < to; ++i) {
#pragma omp atomic
            ++count[i];
        }
        some = GOMP_loop_nonmonotonic_dynamic_next(&from, &to);
    }
    GOMP_loop_end();
}

__attribute__((noinline)) void left_twin(void) {
    long from = 0, to = 0;
    const bool some = GOMP_loop_nonmonotonic_dynamic_start(0, N, 1, 2, &from, &to);
    draw(some, from, to);
}

__attribute__((noinline)) void right_twin(void) {
    long from = 0, to = 0;
    const bool some = GOMP_loop_nonmonotonic_dynamic_start(0, N, 1, 2, &from, &to);
    draw(some, from, to);
}

int main(void) {
#pragma omp parallel num_threads(4)
    for (int repetition = 0; repetition < REPETITIONS; ++repetition) {
        if (omp_get_thread_num() % 2)
            left_twin();
        else
            right_twin();
    }
    for (int i = 0; i < N; ++i) {
        if (count[i] == REPETITIONS) continue;
        printf("FAIL iteration %d ran %d times\n", i, count[i]);
        return 1;
    }
    return 0;
}
