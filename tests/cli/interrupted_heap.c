/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal handler that calls exit() interrupts the heap: the program's own call of it, or one that Gimbal makes. The
 * heap here says so instead of hanging, as a real one does whose lock the interrupted thread holds.
 * usage: interrupted_heap program | library N (the N-th allocation while loops run)
 * ends with 7: the handler's exit(); 65: the handler found the heap interrupted by Gimbal; 66: the heap was used at
 * exit though it was interrupted; 0: there were fewer than N allocations */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gimbal/loop.h"

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

static __thread int in_heap, interrupted, count;
static __thread int due; /* 0: never */

static void enter(void) {
    static const char text[] = "the heap was used though it was interrupted\n";
    if (interrupted && write(2, text, sizeof text - 1)) _exit(66);
    ++in_heap;
    if (due && ++count == due) raise(SIGTERM);
}

#define IN_HEAP(type, call)  \
    enter();                 \
    type const given = call; \
    --in_heap;               \
    return given

void* malloc(size_t size) {
    IN_HEAP(void*, __libc_malloc(size));
}
void* calloc(size_t number, size_t size) {
    IN_HEAP(void*, __libc_calloc(number, size));
}
void* realloc(void* old, size_t size) {
    IN_HEAP(void*, __libc_realloc(old, size));
}
void* memalign(size_t alignment, size_t size) {
    IN_HEAP(void*, __libc_memalign(alignment, size));
}
void* aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}
int posix_memalign(void** place, size_t alignment, size_t size) {
    *place = memalign(alignment, size);
    return *place ? 0 : ENOMEM;
}
void free(void* memory) {
    enter();
    __libc_free(memory);
    --in_heap;
}

static int expects_interruption;

static void on_signal(int number) {
    (void)number;
    due = 0;
    if (in_heap && !expects_interruption) _exit(65);
    interrupted = in_heap > 0;
    exit(7);
}

static void run_loop(int schedule, uint64_t trip) {
    gimbal_loop_desc desc = {.code = (const void*)0x10,
                             .source = ";solver.c;sweep;42;9;;",
                             .trip = trip,
                             .unit = 1,
                             .workers = 2,
                             .schedule = schedule};
    void* execution = gimbal_loop_open(&desc);
    gimbal_share shares[2];
    memset(shares, 0, sizeof shares);
    for (uint32_t i = 0; i < 2; ++i) gimbal_loop_begin(execution, i, &shares[i]);
    uint64_t first, end;
    for (uint32_t i = 0; i < 2; ++i)
        while (gimbal_loop_next(&shares[i], &first, &end)) continue;
    for (uint32_t i = 0; i < 2; ++i) gimbal_loop_end(&shares[i]);
}

int main(int argc, char** argv) {
    const int library = argc > 2;
    const int schedules[] = {gimbal_schedule_parse("fac2"), gimbal_schedule_parse(NULL),
                             gimbal_schedule_parse("sarsa")};
    signal(SIGTERM, on_signal);
    expects_interruption = !library;
    if (library) due = atoi(argv[2]);
    for (int i = 0; i < 9; ++i) run_loop(schedules[i / 3], 100 + (uint64_t)i);
    due = 0;
    if (library) return 0;
    due = 1;
    static void* volatile taken;
    taken = malloc(100);
    free(taken);
    return 5;
}
