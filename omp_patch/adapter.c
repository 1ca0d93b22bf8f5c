/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The adapter: libgimbal's functions in the shape of the schedule hook. Linked
 * into the patched libomp.so. */
#include "schedule_hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gimbal/hook_layout.h"

/* They are looked up and not linked: the dynamic linker ends a program for
 * which it finds a libgimbal.so without the symbol version that it needs, and
 * this program would be a stranger's. */
#define TEXT_OF(word) #word
#define TEXT(macro) TEXT_OF(macro)
#define SYMBOL_VERSION "GIMBAL_HOOK_" TEXT(GIMBAL_HOOK_VERSION)

static gimbal_schedule_hook hook = {.version = GIMBAL_HOOK_VERSION,
                                    .size = sizeof(gimbal_schedule_hook)};

static const struct {
  const char *name;
  size_t place; /* in the hook */
} members[] = {
    {"gimbal_schedule_parse", offsetof(gimbal_schedule_hook, parse)},
    {"gimbal_schedule_kind", offsetof(gimbal_schedule_hook, kind)},
    {"gimbal_schedule_set", offsetof(gimbal_schedule_hook, set)},
    {"gimbal_schedule_print", offsetof(gimbal_schedule_hook, print)},
    {"gimbal_schedule_modifier", offsetof(gimbal_schedule_hook, modifier)},
    {"gimbal_left_loops", offsetof(gimbal_schedule_hook, left_loops)},
    {"gimbal_loop_open", offsetof(gimbal_schedule_hook, open)},
    {"gimbal_loop_begin", offsetof(gimbal_schedule_hook, begin)},
    {"gimbal_loop_next", offsetof(gimbal_schedule_hook, next)},
    {"gimbal_loop_end", offsetof(gimbal_schedule_hook, end)},
    {"gimbal_loop_drop", offsetof(gimbal_schedule_hook, drop)},
    {"gimbal_loop_rules", offsetof(gimbal_schedule_hook, rules)},
    {"gimbal_loop_named", offsetof(gimbal_schedule_hook, named)},
    {"gimbal_lending", offsetof(gimbal_schedule_hook, lending)},
    {"gimbal_waiter_mine", offsetof(gimbal_schedule_hook, waiter)},
    {"gimbal_wait_for", offsetof(gimbal_schedule_hook, wait_for)},
    {"gimbal_waiter_arrived", offsetof(gimbal_schedule_hook, arrived)},
    {"gimbal_waiter_home", offsetof(gimbal_schedule_hook, home)},
    {"gimbal_elastic_threads", offsetof(gimbal_schedule_hook, elastic)},
    {"gimbal_team_begin", offsetof(gimbal_schedule_hook, team_begin)},
    {"gimbal_team_end", offsetof(gimbal_schedule_hook, team_end)},
};

/* The patched runtime's thread-local state (kmp_schedule_hook.h); defined here
 * so that no file of LLVM's need grow. */
#define HOOK_TLS __thread __attribute__((tls_model("initial-exec")))
HOOK_TLS gimbal_share *__kmp_hook_share;
HOOK_TLS const void *__kmp_hook_site;
__attribute__((visibility("hidden"))) int __kmp_hook_used;
int __kmp_hook_cancelled;
gimbal_left_table *__kmp_hook_left_loops;
int __kmp_hook_rules;
int __kmp_hook_lending;
int __kmp_hook_elastic;
HOOK_TLS gimbal_team __kmp_hook_team;
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
  static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK",
                                      "PMIX_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    const char *rank = getenv(names[i]);
    if (rank)
      return strcmp(rank, "0") == 0;
  }
  return 1;
}

/* What is wrong with the libgimbal.so of this process; NULL: nothing. */
static const char *look_up(void *library) {
  if (!library)
    return "it is not loaded";
  for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); ++i) {
    void *function = dlvsym(library, members[i].name, SYMBOL_VERSION);
    if (!function)
      return "it has no symbol version " SYMBOL_VERSION;
    memcpy((char *)&hook + members[i].place, &function, sizeof(function));
  }
  uint64_t (*layout)(void) = NULL;
  void *function = dlvsym(library, "gimbal_hook_layout", SYMBOL_VERSION);
  memcpy(&layout, &function, sizeof(function));
  if (!layout || layout() != gimbal_hook_layout_here())
    return "its structures have other sizes";
  __kmp_hook_left_loops = hook.left_loops();
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
    hook.set = none;
    dladdr(&hook, &own);
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

const gimbal_schedule_hook *gimbal_schedule_hook_get(void) { return &hook; }

int __kmp_hook_has_room(int file, const char *folder, const char *name) {
  enum { kBytes = 1024 }; /* SHM_SIZE */
  static int said;
  if (file < 0)
    return 0;
  int error = posix_fallocate(file, 0, kBytes);
  if (error != ENOSPC && error != EDQUOT)
    return 1;
  char path[256];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  unlink(path);
  if (!said && is_first_rank())
    fprintf(stderr,
            "gimbal: warning: %s is full: the OpenMP runtime runs without its "
            "page there.\n",
            folder);
  said = 1;
  return 0;
}
