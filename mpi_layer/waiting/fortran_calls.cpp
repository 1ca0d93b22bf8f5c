// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subroutines that Fortran programs call, by the names that gfortran and its kin give them: those of mpif.h and
// `use mpi`, those of `use mpi_f08`, and those of them that take descriptors of arrays, which only calls with a buffer
// do. Each has its arguments as addresses, and one more for the error. MPICH's go on to the functions of C, Open MPI's
// do not.
#include "wrap.hpp"

#define GIMBAL_SHOWN __attribute__((visibility("default")))

namespace gimbal::waiting {

namespace {

constinit TwoSteps g_steps_{Next("mpi_isend_"), Next("mpi_issend_"), Next("mpi_irsend_"), Next("mpi_irecv_"),
                            Next("mpi_wait_")};
constinit TwoSteps g_steps_f08_{Next("mpi_isend_f08_"), Next("mpi_issend_f08_"), Next("mpi_irsend_f08_"),
                                Next("mpi_irecv_f08_"), Next("mpi_wait_f08_")};
constinit TwoSteps g_steps_f08ts_{Next("mpi_isend_f08ts_"), Next("mpi_issend_f08ts_"), Next("mpi_irsend_f08ts_"),
                                  Next("mpi_irecv_f08ts_"), Next("mpi_wait_f08_")};

}  // namespace

#define GIMBAL_FORTRAN_FUNCTION(name, lower, ending, count)                                           \
    extern "C" GIMBAL_SHOWN void gimbal_f_##lower##ending(GIMBAL_PARAMETERS_##count,                  \
                                                          Word error) __asm__("mpi_" #lower #ending); \
    void gimbal_f_##lower##ending(GIMBAL_PARAMETERS_##count, Word error) {                            \
        static constinit Next next("mpi_" #lower #ending);                                            \
        wrap<CallId::name, Language::fortran>(next, &g_steps##ending, __builtin_return_address(0),    \
                                              __builtin_frame_address(0), std::tuple<Word>(error),    \
                                              GIMBAL_ARGUMENTS_##count);                              \
    }
#define GIMBAL_FORTRAN(name, lower, count, ...)    \
    GIMBAL_FORTRAN_FUNCTION(name, lower, _, count) \
    GIMBAL_FORTRAN_FUNCTION(name, lower, _f08_, count)
#define GIMBAL_FORTRAN_BUFFER(name, lower, count, ...) \
    GIMBAL_FORTRAN(name, lower, count)                 \
    GIMBAL_FORTRAN_FUNCTION(name, lower, _f08ts_, count)
GIMBAL_WAITING_CALLS_WITHOUT_COUNTS(GIMBAL_FORTRAN)
GIMBAL_WAITING_ALLOCATE(GIMBAL_FORTRAN)
GIMBAL_WAITING_CALLS_WITH_COUNTS(GIMBAL_FORTRAN_BUFFER)
GIMBAL_WAITING_CALLS_FIXED(GIMBAL_FORTRAN_BUFFER)

#define GIMBAL_FORTRAN_ENDS(ending)                                                                           \
    extern "C" GIMBAL_SHOWN void gimbal_f_init##ending(Word error) __asm__("mpi_init" #ending);               \
    void gimbal_f_init##ending(Word error) {                                                                  \
        static constinit Next next("mpi_init" #ending);                                                       \
        wrap_init(next, __builtin_return_address(0), __builtin_frame_address(0), error);                      \
    }                                                                                                         \
    extern "C" GIMBAL_SHOWN void gimbal_f_init_thread##ending(Word asked, Word given,                         \
                                                              Word error) __asm__("mpi_init_thread" #ending); \
    void gimbal_f_init_thread##ending(Word asked, Word given, Word error) {                                   \
        static constinit Next next("mpi_init_thread" #ending);                                                \
        wrap_init(next, __builtin_return_address(0), __builtin_frame_address(0), asked, given, error);        \
    }                                                                                                         \
    extern "C" GIMBAL_SHOWN void gimbal_f_finalize##ending(Word error) __asm__("mpi_finalize" #ending);       \
    void gimbal_f_finalize##ending(Word error) {                                                              \
        static constinit Next next("mpi_finalize" #ending);                                                   \
        wrap_finalize(next, __builtin_return_address(0), __builtin_frame_address(0), error);                  \
    }
GIMBAL_FORTRAN_ENDS(_)
GIMBAL_FORTRAN_ENDS(_f08_)

}  // namespace gimbal::waiting
