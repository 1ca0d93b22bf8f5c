/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_OPENMP_USE_H
#define GIMBAL_OPENMP_USE_H

#ifdef __cplusplus
extern "C" {
#endif

/** What this process, the program or a module that it loaded, has asked of its OpenMP runtime so far. Of several the
 *  last one here. Loops that a compiler shares out by itself, those with schedule(static) or without a
 *  schedule clause, are not seen. */
enum gimbal_openmp_use {
    GIMBAL_OPENMP_NOTHING = 0,
    GIMBAL_OPENMP_ASKED = 1,         /**< the runtime has started: omp_get_max_threads() is enough */
    GIMBAL_OPENMP_REGIONS = 2,       /**< a parallel region, a barrier or a loop */
    GIMBAL_OPENMP_DYNAMIC_LOOPS = 3, /**< a loop with schedule(dynamic) or schedule(guided) */
    GIMBAL_OPENMP_RUNTIME_LOOPS = 4  /**< a loop with schedule(runtime); the first of these two counts */
};

/** The patched libomp has this function, and no other OpenMP runtime: libgimbal looks it up by its name.
 *  @return the above, of this process, not of the parent that it was forked by  @threads any  @cost a system call
 *  @source ours; test: tests/omp/run_no_loop.py */
int kmp_gimbal_use(void);

#ifdef __cplusplus
}
#endif
#endif
