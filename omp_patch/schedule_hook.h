/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_SCHEDULE_HOOK_H
#define GIMBAL_SCHEDULE_HOOK_H

#include "gimbal/core_loan.h"
#include "gimbal/elastic_team.h"
#include "gimbal/left_loops.h"
#include "gimbal/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this contract: libgimbal.so shows the functions below under
 * the symbol version GIMBAL_HOOK_<version> (runtime/exports.map). It grows with
 * every change of a function, its meaning, or a structure that both sides use.
 */
#define GIMBAL_HOOK_VERSION 6

/** The schedule hook (design 3.1): the only thing the patched OpenMP runtime
 * knows about what lies behind it. The members are the functions of
 * gimbal/loop.h,
 * gimbal/core_loan.h and gimbal/elastic_team.h, which document them. */
typedef struct gimbal_schedule_hook {
  unsigned version; /**< GIMBAL_HOOK_VERSION */
  unsigned size;    /**< sizeof(gimbal_schedule_hook) */

  int (*parse)(const char *text);
  int (*kind)(int schedule, int *chunk);
  int (*set)(int kind, int chunk);
  void (*print)(int schedule, char *text, size_t size);
  int (*modifier)(int schedule);

  gimbal_left_table *(*left_loops)(void);
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

  uint32_t (*elastic)(void);
  gimbal_team (*team_begin)(const void *code, uint32_t asked);
  void (*team_end)(gimbal_region *region);
} gimbal_schedule_hook;

/** Looks the functions up in the libgimbal.so of this process; to be called
 * before anything else, by one thread.
 * @return 1; 0: that library is of another build, which is said once. The hook
 * is not to be used then. */
int gimbal_schedule_hook_ready(void);

/** The hook to use; the adapter defines it. */
const gimbal_schedule_hook *gimbal_schedule_hook_get(void);

/** Gives a file that libomp is about to map and to write to the room for it: a
 * write to a page that the file system has no room for ends the process. If
 * there is none the file is removed, and that is said once.
 * @param file  open, or -1: none, which was said  @param name  in `folder`
 * @return 1, or 0: it must not be used  @threads one */
int __kmp_hook_has_room(int file, const char *folder, const char *name);

#ifdef __cplusplus
}
#endif
#endif
