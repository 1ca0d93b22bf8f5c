/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_PIN_H
#define GIMBAL_PIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  What a program may tell Gimbal about its threads. Programs do not link against libgimbal_pin.so: the functions are
 *  weak, and their addresses are NULL when the program runs without it. So ask first:
 *
 *      if (gimbal_pin_progress) gimbal_pin_progress(done);
 *
 *  Nothing here changes a mask: that is done by the manager, and only if GIMBAL_PIN says so. */
#define GIMBAL_PIN_WEAK __attribute__((visibility("default"), weak))

/** This thread computes: it is placed from the next look on, without waiting for it to have used a processor. Threads
 *  that pthread_create() or thrd_create() made are known already; this is for the others, for a name, and for one that
 *  has asked to be left alone.
 *  @param name  for reports, cut to 15 bytes; may be NULL
 *  @return 0; -1: placement is off, or there is no memory  @threads any  @cost a lock */
GIMBAL_PIN_WEAK int gimbal_pin_register(const char* name);

/** This thread has done so much more, in any unit that is the same for all threads. The best measure of speed there is:
 *  instructions and processor time are also spent on waiting.
 *  @threads any  @cost nanoseconds, no lock */
GIMBAL_PIN_WEAK void gimbal_pin_progress(uint64_t done);

/** This memory is mostly used by this thread, and may follow it to another node if the settings ask for NUMA_MEMORY.
 *  It must stay mapped until gimbal_pin_unregister() or the thread's end; whole pages only.
 *  @return 0; -1: placement is off, or the thread is not known  @cost a lock */
GIMBAL_PIN_WEAK int gimbal_pin_memory(const void* begin, size_t bytes);

/** This thread is to be left alone from now on. At the next look it gets the mask back that it had.
 *  @return 0; -1: placement is off, or the thread is not known  @cost a lock */
GIMBAL_PIN_WEAK int gimbal_pin_unregister(void);

#ifdef __cplusplus
}
#endif
#endif
