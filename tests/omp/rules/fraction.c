/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that sets static fractions of its loops if Gimbal is there, and runs all the same if it is not. Prints one
 * word and number per step; run_rules.py knows what they must be. */
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern int gimbal_set_static_fraction(const char* loop, double fraction) __attribute__((weak));
extern double gimbal_get_static_fraction(const char* loop) __attribute__((weak));

enum { N = 1000 };

static int count[N];

static void first_loop(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N; ++i) count[i] += 1;
}

static void second_loop(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N; ++i) count[i] += 1;
}

/* What a forked child, which has entered no loop, hears; 0 if it could not be asked. */
static int set_in_child(void) {
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(-gimbal_set_static_fraction(NULL, 0.5));
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 0;
    return -WEXITSTATUS(status);
}

static void say_all(void) {
    printf("unknown %g\n", gimbal_get_static_fraction("no_such_loop"));
    printf("none_yet %g\n", gimbal_get_static_fraction(NULL));
    printf("too_early %d\n", gimbal_set_static_fraction(NULL, 0.5));
    printf("too_large %d\n", gimbal_set_static_fraction("first_loop", 1.5));
    printf("not_a_number %d\n", gimbal_set_static_fraction("first_loop", NAN));
    printf("empty %d\n", gimbal_set_static_fraction("", 0.5));
    printf("before %d\n", gimbal_set_static_fraction("first_*", 0.25));
    printf("kept %g\n", gimbal_get_static_fraction("first_*"));
    first_loop();
    printf("at_creation %g\n", gimbal_get_static_fraction("first_loop"));
    printf("current %g\n", gimbal_get_static_fraction(NULL));
    second_loop();
    printf("by_schedule %g\n", gimbal_get_static_fraction(NULL));
    printf("set_current %d\n", gimbal_set_static_fraction(NULL, 1));
    printf("at_once %g\n", gimbal_get_static_fraction(NULL));
    second_loop();
    printf("now_current %g\n", gimbal_get_static_fraction("second_loop"));
    printf("by_line %d\n", gimbal_set_static_fraction("fraction.c", 0.5));
    first_loop();
    second_loop();
    printf("both %g\n", gimbal_get_static_fraction("first_loop") + gimbal_get_static_fraction("second_loop"));
    printf("given_back %d\n", gimbal_set_static_fraction("second_loop", -1));
    second_loop();
    printf("by_schedule_again %g\n", gimbal_get_static_fraction("second_loop"));
    printf("in_child %d\n", set_in_child());
}

int main(void) {
    if (gimbal_set_static_fraction && gimbal_get_static_fraction) {
        say_all();
    } else {
        printf("absent 1\n");
        for (int k = 0; k < 2; ++k) first_loop();
        for (int k = 0; k < 4; ++k) second_loop();
    }
    for (int i = 0; i < N; ++i) {
        if (count[i] == 6) continue;
        printf("FAIL iteration %d ran %d times\n", i, count[i]);
        return 1;
    }
    return 0;
}
