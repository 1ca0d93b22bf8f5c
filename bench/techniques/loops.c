// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measured program of bench/techniques: one schedule(runtime) loop over one of the kernels, executed again and
// again as in a time-stepping code, and the same loop without OpenMP for comparison.
//
// usage:  loops KERNEL N WARM_UPS EXECUTIONS PASSES     (threads and schedule come from the environment)
//   KERNEL      uniform triangular decreasing mandelbrot nbody stencil, or drift: mandelbrot with a moving window
//   N           iterations of one loop; 0: as many as the kernel is made for
//   WARM_UPS    executions before the timed ones, in which a technique may learn
//   EXECUTIONS  timed executions
//   PASSES      how often the loop runs serially before, and again after, the timed executions
// prints: one JSON line. ns: median loop time; loop_ns: all of them; serial_ns: the loop without OpenMP (the least of
//         the passes; of a kernel that drifts the median over the executions); efficiency: serial time over threads
//         times loop time, median over the executions; mean_ns and mean_efficiency: the same from the sums
// exit:   0; 1 no memory; 2 on wrong arguments; 3 when a thread cannot be placed (BENCH_CPUS, measure.h);
//         4 when the sum shows that an iteration was lost, ran twice or came to another result
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../apps/common/turns.h"
#include "../dispatch/measure.h"
#include "kernel.h"

enum { kMostExecutions = 1000 };

static const struct kernel* const kKernels[] = {&kUniform, &kTriangular, &kDecreasing, &kMandelbrot,
                                                &kNbody,   &kStencil,    &kDrift};

struct arguments {
    const struct kernel* kernel;
    long n, warm_ups, executions, passes;
};

// What the serial loop gave: one entry, or one per execution if the kernel drifts.
struct reference {
    long entries;
    double ns[kMostExecutions];
    uint64_t sum[kMostExecutions];
};

static int threads_seen;
static long chunks_seen;

#ifdef COUNT_CHUNKS
long take_chunk_count(void);  // ../dispatch/count.c: chunks that this thread received since the last call
#else
static long take_chunk_count(void) {
    return 0;
}
#endif

// The parallel region holds more than the loop, or gcc would merge the two and start the loop by another call.
static uint64_t run_parallel(const struct kernel* kernel, long n) {
    uint64_t sum = 0;
    long chunks = 0;
#pragma omp parallel reduction(+ : sum, chunks)
    {
        take_chunk_count();
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < n; ++i) {
            sum += kernel->iteration(i);
        }
        chunks += take_chunk_count();
        if (omp_get_thread_num() == 0) {
            threads_seen = omp_get_num_threads();
        }
    }
    chunks_seen = chunks;
    return sum;
}

__attribute__((noinline)) static uint64_t run_serial(const struct kernel* kernel, long n) {
    uint64_t sum = 0;
    for (long i = 0; i < n; ++i) {
        sum += kernel->iteration(i);
    }
    return sum;
}

static void measure_serial(const struct arguments* wanted, struct reference* reference) {
    for (long pass = 0; pass < wanted->passes; ++pass) {
        for (long k = 0; k < reference->entries; ++k) {
            wanted->kernel->begin(k);
            const int64_t begin_ns = now_ns();
            reference->sum[k] = run_serial(wanted->kernel, wanted->n);
            const double took_ns = (double)(now_ns() - begin_ns);
            reference->ns[k] = reference->ns[k] == 0.0 || took_ns < reference->ns[k] ? took_ns : reference->ns[k];
        }
    }
}

// Fills loop_ns[0..executions). Returns 0, or -1 when a sum is wrong.
static int measure_loops(const struct arguments* wanted, const struct reference* reference, double* loop_ns) {
    for (long step = -wanted->warm_ups; step < wanted->executions; ++step) {
        wanted->kernel->begin(step);
        const int64_t begin_ns = now_ns();
        const uint64_t sum = run_parallel(wanted->kernel, wanted->n);
        const double took_ns = (double)(now_ns() - begin_ns);
        const int known = step >= 0 || !wanted->kernel->drifts;
        if (known && sum != reference->sum[step < 0 ? 0 : step % reference->entries]) {
            fprintf(stderr, "loops: wrong sum in execution %ld: some iteration did not run exactly once\n", step);
            return -1;
        }
        if (step >= 0) {
            loop_ns[step] = took_ns;
        }
        end_of_step();
    }
    return 0;
}

static void print_answer(const struct arguments* wanted, struct reference* reference, double* loop_ns) {
    static double efficiency[kMostExecutions];
    double total_ns = 0.0, serial_ns = 0.0;
    printf(
        "{\"kernel\":\"%s\",\"n\":%ld,\"warm_ups\":%ld,\"executions\":%ld,\"threads\":%d,\"chunks\":%ld,"
        "\"checksum\":\"%016llx\",\"loop_ns\":[",
        wanted->kernel->name, wanted->n, wanted->warm_ups, wanted->executions, threads_seen, chunks_seen,
        (unsigned long long)reference->sum[0]);
    for (long k = 0; k < wanted->executions; ++k) {
        printf("%s%.0f", k == 0 ? "" : ",", loop_ns[k]);
        total_ns += loop_ns[k];
        serial_ns += reference->ns[k % reference->entries];
        efficiency[k] = reference->ns[k % reference->entries] / (threads_seen * loop_ns[k]);
    }
    printf("],\"mean_ns\":%.0f,\"mean_efficiency\":%.5f", total_ns / (double)wanted->executions,
           serial_ns / (threads_seen * total_ns));
    printf(",\"ns\":%.0f,\"serial_ns\":%.0f,\"efficiency\":%.5f", median(loop_ns, wanted->executions),
           median(reference->ns, reference->entries), median(efficiency, wanted->executions));
    print_runtime();
    printf("}\n");
}

static int read_arguments(int argc, char** argv, struct arguments* wanted) {
    if (argc != 6) {
        return -1;
    }
    for (size_t k = 0; k < sizeof kKernels / sizeof *kKernels; ++k) {
        if (strcmp(argv[1], kKernels[k]->name) == 0) {
            wanted->kernel = kKernels[k];
        }
    }
    wanted->n = strtol(argv[2], NULL, 10);
    wanted->warm_ups = strtol(argv[3], NULL, 10);
    wanted->executions = strtol(argv[4], NULL, 10);
    wanted->passes = strtol(argv[5], NULL, 10);
    if (wanted->kernel == NULL || wanted->n < 0 || wanted->warm_ups < 0 || wanted->executions < 1 ||
        wanted->executions > kMostExecutions || wanted->passes < 1) {
        return -1;
    }
    wanted->n = wanted->n == 0 ? wanted->kernel->iterations : wanted->n;
    return 0;
}

int main(int argc, char** argv) {
    static struct reference reference;
    static double loop_ns[kMostExecutions];
    struct arguments wanted = {0};
    if (read_arguments(argc, argv, &wanted) != 0) {
        fprintf(stderr, "usage: loops KERNEL N WARM_UPS EXECUTIONS PASSES\n");
        return 2;
    }
    if (wanted.kernel->prepare(wanted.n) != 0) {
        fprintf(stderr, "loops: no memory for %ld iterations\n", wanted.n);
        return 1;
    }
#pragma omp parallel
    bind_thread(omp_get_thread_num());
    reference.entries = wanted.kernel->drifts ? wanted.executions : 1;
    measure_serial(&wanted, &reference);
    if (measure_loops(&wanted, &reference, loop_ns) != 0) {
        return 4;
    }
    measure_serial(&wanted, &reference);
    print_answer(&wanted, &reference, loop_ns);
    return 0;
}
