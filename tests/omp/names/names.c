// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of OpenMP 5.0 and 5.1 in a program of gcc's, and what their results mean to its constructs. Prints what
// OpenMP says of each; the same under every runtime.
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double sum_of(int n) {
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += i;
    return sum;
}

// Of a task whose event comes from a thread of the program's, later than the task's own end.
static omp_event_handle_t event;
static int fulfilled;
static int before;  // what the tasks depend on

static void* fulfill(void* unused) {
    usleep(20000);
    fulfilled = 1;
    omp_fulfill_event(event);
    return unused;
}

static void begin(omp_event_handle_t of_task) {
    pthread_t thread;
    event = of_task;
    pthread_create(&thread, NULL, fulfill, NULL);
    pthread_detach(thread);
}

static void detach(void) {
    int dependent = 0, done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t ours;
#pragma omp task detach(ours) depend(out : before)
        begin(ours);
#pragma omp task depend(in : before)
        dependent = fulfilled;
#pragma omp taskwait
        printf("taskwait and a dependent task come after the event: %d %d\n", fulfilled, dependent);
        fulfilled = 0;
#pragma omp task detach(ours) if (0)
        begin(ours);
        printf("so does who waits for a task himself: %d\n", fulfilled);
        // Fulfilled from outside, by the thread that made the task.
#pragma omp task detach(ours) shared(done)
        done = 1;
        omp_fulfill_event(ours);
#pragma omp taskwait
        printf("an event may come before its task: %d\n", done);
    }
    fulfilled = 0;
    omp_event_handle_t ours;
#pragma omp task detach(ours)
    begin(ours);
#pragma omp taskwait
    printf("outside of regions: %d\n", fulfilled);
}

static int first_of(int n) {
    int values[n], first = 0;
    for (int i = 0; i < n; ++i) values[i] = i + 7;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task if (0) firstprivate(values) shared(first)
    {
        first = values[0];
        values[0] = -1;
    }
    return first * 100 + values[0];
}

static void undeferred(void) {
    printf("firstprivate of a task with if(0): %d\n", first_of(5));
}

static int is_aligned(const void* memory, uintptr_t to) {
    return memory != NULL && (uintptr_t)memory % to == 0;
}

static void allocators(void) {
    const omp_alloctrait_t aligned[] = {{omp_atk_alignment, 256}};
    const omp_alloctrait_t small[] = {{omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t wide = omp_init_allocator(omp_default_mem_space, 1, aligned);
    omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 2, small);
    double value = 3, sum = 0;
    int apart = 0;
#pragma omp parallel for schedule(runtime) firstprivate(value) allocate(wide : value) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += value;
#pragma omp parallel firstprivate(value) allocate(wide : value) reduction(+ : apart)
    apart += !is_aligned(&value, 256);
    printf("allocate(): %g, %d not aligned\n", sum, apart);

    unsigned char* memory = omp_alloc(100, wide);
    printf("alloc %d", is_aligned(memory, 256));
    memset(memory, 5, 100);
    memory = omp_realloc(memory, 1000, wide, wide);
    printf(" realloc %d", memory[99]);
    omp_free(memory, wide);
    memory = omp_aligned_alloc(512, 1024, omp_default_mem_alloc);
    printf(" aligned_alloc %d", is_aligned(memory, 512));
    omp_free(memory, omp_null_allocator);
    memory = omp_calloc(10, 10, wide);
    printf(" calloc %d %d", is_aligned(memory, 256), memory[99]);
    omp_free(memory, wide);
    memory = omp_aligned_calloc(1024, 1, 2048, omp_default_mem_alloc);
    printf(" aligned_calloc %d %d\n", is_aligned(memory, 1024), memory[2047]);
    omp_free(memory, omp_default_mem_alloc);
    printf("no more than the pool has: %d\n", omp_alloc(5000, pool) == NULL);

    omp_set_default_allocator(wide);
    memory = omp_alloc(100, omp_null_allocator);
    printf("the default one: %d %d\n", omp_get_default_allocator() == wide, is_aligned(memory, 256));
    omp_free(memory, omp_null_allocator);
    omp_set_default_allocator(omp_default_mem_alloc);
    omp_destroy_allocator(wide);
    omp_destroy_allocator(pool);
}

static void teams(void) {
    int teams = 0, threads = 0;
    omp_set_num_teams(2);
    omp_set_teams_thread_limit(1);
#pragma omp teams reduction(+ : teams, threads)
    {
        ++teams;
#pragma omp parallel reduction(+ : threads)
        ++threads;
    }
    printf("teams %d of %d, threads %d, limit %d\n", teams, omp_get_max_teams(), threads, omp_get_teams_thread_limit());
}

static void device(void) {
    const int host = omp_get_initial_device();
    double from[4] = {1, 2, 3, 4};
    double* to = omp_target_alloc(sizeof(from), host);
    const int failed = omp_target_memcpy(to, from, sizeof(from), 0, 0, host, host);
    printf("host %d %d, copied %d %g, present %d\n", omp_get_device_num() == host, omp_get_num_devices() == host,
           failed, to[3], omp_target_is_present(from, host));
    omp_target_free(to, host);
    printf("levels %d\n", omp_get_supported_active_levels() > 2);
}

int main(int count, char** words) {
    if (count > 1 && strcmp(words[1], "env") == 0) {
        omp_display_env(0);
        return 0;
    }
    detach();
    undeferred();
    allocators();
    teams();
    device();
    printf("sum %g\n", sum_of(1000));
    return 0;
}
