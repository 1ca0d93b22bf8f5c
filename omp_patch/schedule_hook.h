/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_SCHEDULE_HOOK_H
#define GIMBAL_SCHEDULE_HOOK_H

#include "gimbal/core_loan.h"
#include "gimbal/elastic_team.h"
#include "gimbal/known_loops.h"
#include "gimbal/loop.h"
#include "gimbal/openmp_use.h"
#include "gimbal/traced_calls.h"
#include "gimbal/wait_policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this contract: libgimbal.so shows the functions below under
 * the symbol version GIMBAL_HOOK_<version> (runtime/exports.map). It grows with
 * every change of a function, its meaning, or a structure that both sides use.
 */
#define GIMBAL_HOOK_VERSION 18

/** The schedule hook: all of libgimbal.so that the patched OpenMP runtime
 * calls. gimbal/loop.h, gimbal/known_loops.h, gimbal/core_loan.h,
 * gimbal/elastic_team.h, gimbal/wait_policy.h and gimbal/traced_calls.h
 * document the functions. */
#define GIMBAL_HOOK_FUNCTIONS(FUNCTION)                                        \
  FUNCTION(gimbal_schedule_parse)                                              \
  FUNCTION(gimbal_schedule_kind)                                               \
  FUNCTION(gimbal_schedule_set)                                                \
  FUNCTION(gimbal_schedule_print)                                              \
  FUNCTION(gimbal_schedule_modifier)                                           \
  FUNCTION(gimbal_known_loops)                                                  \
  FUNCTION(gimbal_loop_open)                                                   \
  FUNCTION(gimbal_loop_granule)                                                \
  FUNCTION(gimbal_loop_begin)                                                  \
  FUNCTION(gimbal_loop_next)                                                   \
  FUNCTION(gimbal_loop_end)                                                    \
  FUNCTION(gimbal_loop_leave)                                                  \
  FUNCTION(gimbal_loop_close)                                                  \
  FUNCTION(gimbal_loop_drop)                                                   \
  FUNCTION(gimbal_loop_rules)                                                  \
  FUNCTION(gimbal_loop_named)                                                  \
  FUNCTION(gimbal_loops_unloaded)                                              \
  FUNCTION(gimbal_lending)                                                     \
  FUNCTION(gimbal_waiter_mine)                                                 \
  FUNCTION(gimbal_wait_for)                                                    \
  FUNCTION(gimbal_waiter_arrived)                                              \
  FUNCTION(gimbal_waiter_home)                                                 \
  FUNCTION(gimbal_elastic_threads)                                             \
  FUNCTION(gimbal_spinning_threads)                                            \
  FUNCTION(gimbal_team_begin)                                                  \
  FUNCTION(gimbal_team_end)                                                    \
  FUNCTION(gimbal_team_inside)                                                 \
  FUNCTION(gimbal_team_numbered)                                               \
  FUNCTION(gimbal_traced_calls)

/** Pointers to them, by the same names. They are looked up and never linked:
 * the dynamic linker ends a program for which it finds a libgimbal.so without
 * the symbol version that it needs (docs/decisions/0022). */
#define GIMBAL_HOOK_POINTER(name) __typeof__(&name) name;
typedef struct gimbal_schedule_hook {
  GIMBAL_HOOK_FUNCTIONS(GIMBAL_HOOK_POINTER)
} gimbal_schedule_hook;
#undef GIMBAL_HOOK_POINTER

/** The hook to use; the adapter defines it. */
extern __attribute__((visibility("hidden"))) gimbal_schedule_hook __kmp_hook;

/** Looks the functions up in the libgimbal.so of this process; to be called
 * before anything else, by one thread.
 * @return 1; 0: that library is of another build, which is said once. The hook
 * is not to be used then. */
int gimbal_schedule_hook_ready(void);

/** What loops are looked at when they start, other than for their schedule. */
enum {
  KMP_HOOK_NAMED_LOOPS = 1, /* the user has named loops */
  KMP_HOOK_FIRST_LOOP = 2,  /* none has been seen that is not static */
  KMP_HOOK_SET_IN_REGION = 4 /* threads set schedules inside of regions */
};
extern __attribute__((visibility("hidden"))) int __kmp_hook_looks;

/** The first region in which a thread has set a schedule: its loops up to this
 * one go by the schedule that the team began with. */
struct kmp_hook_first_set {
  int known;
  const void *team;
  unsigned loops;
};
extern __attribute__((visibility("hidden"))) struct kmp_hook_first_set
    __kmp_hook_first_set;

/** Notes what the process asks of OpenMP. When libomp starts, when its parallel
 * part does, and at the first loop that is not static.
 * @param use  an enum gimbal_openmp_use  @threads any  @cost a system call */
void __kmp_hook_see(int use);

/** Gives a file that libomp is about to map and to write to the room for it: a
 * write to a page that the file system has no room for ends the process. If
 * there is none that is said once. The file's name is removed: by it another
 * libomp in the process would end that, and a process that ends by _exit() or a
 * signal would leave it. One with something in it is another libomp's, and stays,
 * but for where there is no room: there what has the name is removed unread.
 * An empty one that a killed process has left is marked as nobody's.
 * @param file  open, or -1: none, which was said  @param name  in `folder`
 * @return 1, or 0: it must not be used  @threads one */
int __kmp_hook_has_room(int file, const char *folder, const char *name);

/** ftruncate(), unless a limit on the size of files would end the process; then
 * nothing is done, and __kmp_hook_has_room() says so. @threads any */
int __kmp_hook_truncate(int file, long bytes);

/** Whether the program is of GNU code: a libgomp is loaded. Found once.
 * @threads one, when libomp starts */
void __kmp_hook_find_libgomp(void);
extern int __kmp_hook_beside_libgomp;
/** Threads of a team: as many as there are processors when libomp begins, or
 * more that libgomp has counted before; 0: not known. And "OMP_PLACES=..." as
 * libgomp has read it; NULL: no places. */
extern int __kmp_hook_libgomp_threads;
extern char *__kmp_hook_libgomp_places;
/** The same places; NULL: this thread does not have the mask that libgomp's
 * start-up has given to it. @threads one, when libomp starts */
char *__kmp_hook_places_of_bound(void);

/** What libomp is to read of the environment: an empty one for a program that
 * has called clearenv(); in GNU code what libgomp makes of it, as it is when
 * libomp begins, and the same from then on.
 * @param env  may be NULL  @return never NULL @threads one */
char **__kmp_hook_environment(char **env);

/** Gives the calling thread the mask back that it had before libgomp's start-up
 * bound it, or the main thread, to the first of its places; nothing if it has
 * another one. @param last  the mask of the process is read now, and there will
 * be no more to undo  @threads one, when libomp starts */
void __kmp_hook_undo_libgomp(int last);

#ifdef __cplusplus
}
#endif
#endif
