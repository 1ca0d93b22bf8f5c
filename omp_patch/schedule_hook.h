/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_SCHEDULE_HOOK_H
#define GIMBAL_SCHEDULE_HOOK_H

#include "gimbal/core_loan.h"
#include "gimbal/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this contract. The adapter is linked into the host, so the
 * two agree; debug builds of the host assert it. */
enum { GIMBAL_HOOK_VERSION = 3 };

/** The schedule hook (design 3.1): the only thing the patched OpenMP runtime
 * knows about what lies behind it. The members are the functions of
 * gimbal/loop.h
 * and gimbal/core_loan.h, which document them. */
typedef struct gimbal_schedule_hook {
  unsigned version; /**< GIMBAL_HOOK_VERSION */
  unsigned size;    /**< sizeof(gimbal_schedule_hook) */

  int (*parse)(const char *text);
  int (*kind)(int schedule, int *chunk);
  int (*set)(int kind, int chunk);
  void (*print)(int schedule, char *text, size_t size);
  int (*modifier)(int schedule);

  void *(*open)(const gimbal_loop_desc *desc);
  void (*begin)(void *execution, uint32_t worker, gimbal_share *share);
  int (*next)(gimbal_share *share, uint64_t *first, uint64_t *end);
  int (*end)(gimbal_share *share);
  void (*drop)(void *execution);

  int (*rules)(void);
  int (*named)(const gimbal_loop_desc *desc);

  int (*lending)(void);
  gimbal_waiter *(*waiter)(void);
  void (*wait_for)(gimbal_waiter *self, const gimbal_meeting *meeting);
  void (*arrived)(gimbal_waiter *self, const gimbal_release *release);
  void (*home)(gimbal_waiter *self);
} gimbal_schedule_hook;

/** The hook to use; the adapter defines it. */
const gimbal_schedule_hook *gimbal_schedule_hook_get(void);

#ifdef __cplusplus
}
#endif
#endif
