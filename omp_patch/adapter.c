/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The adapter: looks up libgimbal's functions for the schedule hook. Linked
 * into the patched libomp.so. */
#include "schedule_hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gimbal/hook_layout.h"
#include "gimbal/launchers.h"

#define TEXT_OF(word) #word
#define TEXT(macro) TEXT_OF(macro)
#define SYMBOL_VERSION "GIMBAL_HOOK_" TEXT(GIMBAL_HOOK_VERSION)

gimbal_schedule_hook __kmp_hook;

static const struct {
  const char *name;
  size_t place; /* in the hook */
} functions[] = {
#define PLACE(name) {#name, offsetof(gimbal_schedule_hook, name)},
    GIMBAL_HOOK_FUNCTIONS(PLACE)
#undef PLACE
};

/* The patched runtime's thread-local state (kmp_schedule_hook.h); defined here
 * so that no file of LLVM's need grow. */
#define HOOK_TLS __thread __attribute__((tls_model("initial-exec")))
#define HOOK_HIDDEN __attribute__((visibility("hidden")))
HOOK_TLS gimbal_share *__kmp_hook_share;
HOOK_TLS const void *__kmp_hook_site;
HOOK_TLS gimbal_team __kmp_hook_team;
HOOK_TLS int __kmp_hook_can_sleep;
HOOK_HIDDEN int __kmp_hook_used;
HOOK_HIDDEN int __kmp_hook_gather_pattern[3];
HOOK_HIDDEN int __kmp_hook_release_pattern[3];
HOOK_HIDDEN int __kmp_hook_cancelled;
HOOK_HIDDEN gimbal_known_table *__kmp_hook_known_loops;
HOOK_HIDDEN int __kmp_hook_rules;
HOOK_HIDDEN int __kmp_hook_looks = KMP_HOOK_FIRST_LOOP;
HOOK_HIDDEN struct kmp_hook_first_set __kmp_hook_first_set;
HOOK_HIDDEN int __kmp_hook_lending;
HOOK_HIDDEN int __kmp_hook_elastic;
HOOK_HIDDEN int __kmp_hook_may_spin = INT_MAX;
HOOK_HIDDEN int __kmp_hook_spinning = INT_MAX;
HOOK_HIDDEN void (*__kmp_hook_barrier)(gimbal_barrier_moment moment);
const char __kmp_hook_gnu_source[] = ";unknown;unknown;0;0;;";

/* Where the hook is not to be used, libomp asks for no more than this: without
 * a schedule of the hook's no loop is its. */
static int none(int kind, int chunk) {
  (void)kind;
  (void)chunk;
  return 0;
}

/* One of a job's ranks speaks for all. */
static int is_first_rank(void) {
#define RANK(rank, ranks) rank,
  static const char *const names[] = {GIMBAL_LAUNCHERS(RANK)};
#undef RANK
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    const char *rank = getenv(names[i]);
    if (rank)
      return strcmp(rank, "0") == 0;
  }
  return 1;
}

/* Where a trace is written loops go by functions that record them. */
static void use_traced_calls(const gimbal_traced_loop_calls *traced) {
  if (!traced)
    return;
  __kmp_hook.gimbal_loop_open = traced->open;
  __kmp_hook.gimbal_loop_begin = traced->begin;
  __kmp_hook.gimbal_loop_next = traced->next;
  __kmp_hook.gimbal_loop_end = traced->end;
  __kmp_hook.gimbal_loop_leave = traced->leave;
  __kmp_hook.gimbal_loop_close = traced->close;
  __kmp_hook_barrier = traced->barrier;
}

/* What is wrong with the libgimbal.so of this process; NULL: nothing. */
static const char *look_up(void *library) {
  if (!library)
    return "it is not loaded";
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) {
    void *function = dlvsym(library, functions[i].name, SYMBOL_VERSION);
    if (!function)
      return "it has no symbol version " SYMBOL_VERSION;
    memcpy((char *)&__kmp_hook + functions[i].place, &function,
           sizeof(function));
  }
  uint64_t (*layout)(void) = NULL;
  void *function = dlvsym(library, "gimbal_hook_layout", SYMBOL_VERSION);
  memcpy(&layout, &function, sizeof(function));
  if (!layout || layout() != gimbal_hook_layout_here())
    return "its structures have other sizes";
  __kmp_hook_known_loops = __kmp_hook.gimbal_known_loops();
  use_traced_calls(__kmp_hook.gimbal_traced_calls());
  return NULL;
}

int gimbal_schedule_hook_ready(void) {
  static int state; /* 1: ready, -1: of another build */
  if (state != 0)
    return state > 0;
  /* Loaded with libomp.so: only asked for, under the name that it needs. */
  void *library = dlopen(GIMBAL_LIBRARY_NAME, RTLD_LAZY | RTLD_NOLOAD);
  const char *problem = look_up(library);
  state = problem ? -1 : 1;
  if (problem) {
    struct link_map *map = NULL;
    Dl_info own = {0};
    __kmp_hook.gimbal_schedule_set = none;
    __kmp_hook.gimbal_loops_unloaded = NULL;
    dladdr(&__kmp_hook, &own);
    if (library)
      dlinfo(library, RTLD_DI_LINKMAP, &map);
    if (is_first_rank())
      fprintf(stderr,
              "gimbal: warning: %s and %s are of different builds (%s): the "
              "program runs without Gimbal. See LD_LIBRARY_PATH.\n",
              own.dli_fname ? own.dli_fname : "libomp.so",
              map ? map->l_name : GIMBAL_LIBRARY_NAME, problem);
  }
  if (library)
    dlclose(library);
  return state > 0;
}

static int used;      /* enum gimbal_openmp_use */
static pid_t used_by; /* of this process; that of a parent does not count */

void __kmp_hook_see(int use) {
  pid_t own = getpid();
  if (__atomic_load_n(&used_by, __ATOMIC_RELAXED) != own) {
    __atomic_store_n(&used, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&used_by, own, __ATOMIC_RELAXED);
    __atomic_fetch_or(&__kmp_hook_looks, KMP_HOOK_FIRST_LOOP, __ATOMIC_RELAXED);
  }
  int before = __atomic_load_n(&used, __ATOMIC_RELAXED);
  while (before < use &&
         !__atomic_compare_exchange_n(&used, &before, use, 0, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    ;
}

__attribute__((visibility("default"))) int kmp_gimbal_use(void) {
  return __atomic_load_n(&used_by, __ATOMIC_RELAXED) == getpid()
             ? __atomic_load_n(&used, __ATOMIC_RELAXED)
             : GIMBAL_OPENMP_NOTHING;
}

/* A process that was killed before it wrote its page leaves an empty one. libomp
 * takes that for a runtime that it does not know, and ends the next process that
 * has the number of that one: with numbers that come again after 32768 processes
 * this happens. Of a runtime that is gone, which this says, it takes the place.
 * In a page that is new libomp writes over it.
 * @return whether it was empty */
static int mark_empty(int file) {
  static const char gone[] = "0x1-1-gone"; /* nothing is mapped at 0x1 */
  char first = 0;
  return pread(file, &first, 1, 0) == 1 && first == 0 &&
         pwrite(file, gone, sizeof(gone), 0) == (ssize_t)sizeof(gone);
}

/* Over a limit on file sizes writing ends the process. */
static int is_too_large(off_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         limit.rlim_cur <= (rlim_t)bytes;
}

int __kmp_hook_truncate(int file, long bytes) {
  return is_too_large(bytes) ? 0 : ftruncate(file, bytes);
}

int __kmp_hook_has_room(int file, const char *folder, const char *name) {
  enum { kBytes = 1024 }; /* SHM_SIZE */
  static int said;
  if (file < 0)
    return 0;
  char path[256];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  const int too_large = is_too_large(kBytes);
  const int error = too_large ? EFBIG : posix_fallocate(file, 0, kBytes);
  if (error != ENOSPC && error != EDQUOT && error != EFBIG) {
    if (mark_empty(file))
      unlink(path);
    return 1;
  }
  unlink(path);
  if (!said && !too_large && is_first_rank())
    fprintf(stderr,
            "gimbal: warning: %s is full: the OpenMP runtime runs without its "
            "page there.\n",
            folder);
  said = 1;
  return 0;
}
