// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that C programs call.
#include "wrap.hpp"

#define GIMBAL_SHOWN __attribute__((visibility("default")))

namespace gimbal::waiting {

namespace {

constinit TwoSteps g_steps{Next("MPI_Isend"), Next("MPI_Issend"), Next("MPI_Irsend"), Next("MPI_Irecv"),
                           Next("MPI_Wait")};
#if MPI_VERSION >= 4
constinit TwoSteps g_steps_c{Next("MPI_Isend_c"), Next("MPI_Issend_c"), Next("MPI_Irsend_c"), Next("MPI_Irecv_c"),
                             Next("MPI_Wait")};
#endif

}  // namespace

// The names of the functions are MPI's to the linker alone: mpi.h declares them with other types.
#define GIMBAL_C_FUNCTION(name, ending, count, steps)                                                                 \
    extern "C" GIMBAL_SHOWN int gimbal_c_##name##ending(GIMBAL_PARAMETERS_##count) __asm__("MPI_" #name #ending);     \
    int gimbal_c_##name##ending(GIMBAL_PARAMETERS_##count) {                                                          \
        static constinit Next next("MPI_" #name #ending);                                                             \
        return wrap<CallId::name, Language::c>(next, &steps, __builtin_return_address(0), __builtin_frame_address(0), \
                                               std::tuple<>(), GIMBAL_ARGUMENTS_##count);                             \
    }
#define GIMBAL_C(name, lower, count, ...) GIMBAL_C_FUNCTION(name, , count, g_steps)
GIMBAL_WAITING_CALLS_WITHOUT_COUNTS(GIMBAL_C)
GIMBAL_WAITING_CALLS_WITH_COUNTS(GIMBAL_C)
GIMBAL_WAITING_ALLOCATE(GIMBAL_C)
GIMBAL_WAITING_CALLS_FIXED(GIMBAL_C)
#if MPI_VERSION >= 4
#define GIMBAL_C_LARGE(name, lower, count, ...) GIMBAL_C_FUNCTION(name, _c, count, g_steps_c)
GIMBAL_WAITING_CALLS_WITH_COUNTS(GIMBAL_C_LARGE)
GIMBAL_WAITING_ALLOCATE(GIMBAL_C_LARGE)
#endif

extern "C" {

GIMBAL_SHOWN int gimbal_c_init(Word count, Word words) __asm__("MPI_Init");
int gimbal_c_init(Word count, Word words) {
    static constinit Next next("MPI_Init");
    return wrap_init(next, __builtin_return_address(0), __builtin_frame_address(0), count, words);
}

GIMBAL_SHOWN int gimbal_c_init_thread(Word count, Word words, Word asked, Word given) __asm__("MPI_Init_thread");
int gimbal_c_init_thread(Word count, Word words, Word asked, Word given) {
    static constinit Next next("MPI_Init_thread");
    return wrap_init(next, __builtin_return_address(0), __builtin_frame_address(0), count, words, asked, given);
}

GIMBAL_SHOWN int gimbal_c_finalize() __asm__("MPI_Finalize");
int gimbal_c_finalize() {
    static constinit Next next("MPI_Finalize");
    return wrap_finalize(next, __builtin_return_address(0), __builtin_frame_address(0));
}

}  // extern "C"

}  // namespace gimbal::waiting
