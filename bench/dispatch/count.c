// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the chunks that a thread really receives: linked (with the linker's --wrap) into the counting twin of loops.c
// and never into the timed program. A call that brings no chunk is not counted.
#include <stdbool.h>
#include <stdint.h>

static _Thread_local long chunks_here;

long take_chunk_count(void) {
    const long count = chunks_here;
    chunks_here = 0;
    return count;
}

// Reserved names: the linker demands them for --wrap.
#ifdef __clang__
int __real___kmpc_dispatch_next_8(void* where, int thread, int* last, int64_t* low, int64_t* high, int64_t* stride);
int __wrap___kmpc_dispatch_next_8(void* where, int thread, int* last, int64_t* low, int64_t* high, int64_t* stride) {
    const int more = __real___kmpc_dispatch_next_8(where, thread, last, low, high, stride);
    chunks_here += more != 0;
    return more;
}
#else
bool __real_GOMP_loop_maybe_nonmonotonic_runtime_start(long start, long end, long stride, long* low, long* high);
bool __wrap_GOMP_loop_maybe_nonmonotonic_runtime_start(long start, long end, long stride, long* low, long* high) {
    const bool more = __real_GOMP_loop_maybe_nonmonotonic_runtime_start(start, end, stride, low, high);
    chunks_here += more;
    return more;
}

bool __real_GOMP_loop_maybe_nonmonotonic_runtime_next(long* low, long* high);
bool __wrap_GOMP_loop_maybe_nonmonotonic_runtime_next(long* low, long* high) {
    const bool more = __real_GOMP_loop_maybe_nonmonotonic_runtime_next(low, high);
    chunks_here += more;
    return more;
}
#endif
