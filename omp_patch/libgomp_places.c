/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of gcc's loads libgomp besides, which stays idle but for its
 * start-up: where OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY say so, that
 * has bound the main thread to the first of its places. libomp would take this
 * for all the processors there are, and put every thread there. Which ones
 * there are libgomp has read before; it tells its places. Linked into the
 * patched libomp.so. */
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "schedule_hook.h"

enum { kMaxProcessors = 16384, kMaxLibraries = 4 };

typedef struct processors {
  unsigned long words[kMaxProcessors / (8 * sizeof(unsigned long))];
} processors;

static void add(processors *set, int processor) {
  const unsigned bits = 8 * sizeof(unsigned long);
  if (processor >= 0 && processor < kMaxProcessors)
    set->words[(unsigned)processor / bits] |= 1UL << (unsigned)processor % bits;
}

static int contains_all(const processors *set, const processors *others) {
  for (size_t i = 0; i < sizeof(set->words) / sizeof(set->words[0]); ++i) {
    if ((others->words[i] & ~set->words[i]) != 0)
      return 0;
  }
  return 1;
}

/* The functions of OpenMP by which a runtime tells its places. */
typedef struct places {
  int (*count)(void);
  int (*processors)(int place);
  void (*numbers)(int place, int *numbers);
} places;

static int find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof(found));
  return found != NULL;
}

/* Whether all of it is there, and it is GCC's and nothing of its name. */
static int find_places(void *library, places *found) {
  return dlsym(library, "GOACC_parallel_keyed") != NULL &&
         find(library, "omp_get_num_places", &found->count) &&
         find(library, "omp_get_place_num_procs", &found->processors) &&
         find(library, "omp_get_place_proc_ids", &found->numbers);
}

static void add_place(const places *of, int place, processors *set) {
  const int count = of->processors(place);
  int *numbers = count > 0 ? calloc((size_t)count, sizeof(int)) : NULL;
  if (!numbers)
    return;
  of->numbers(place, numbers);
  for (int i = 0; i < count; ++i)
    add(set, numbers[i]);
  free(numbers);
}

/* The paths of all that are called libgomp, as many as fit: a wheel of Python's
 * brings its own. */
typedef struct libraries {
  char names[kMaxLibraries][4096];
  int count;
} libraries;

static int note_name(struct dl_phdr_info *info, size_t size, void *into) {
  (void)size;
  libraries *found = into;
  const char *path = info->dlpi_name ? info->dlpi_name : "";
  const char *slash = strrchr(path, '/');
  const int is_gomp = strncmp(slash ? slash + 1 : path, "libgomp", 7) == 0;
  if (is_gomp && found->count < kMaxLibraries &&
      strlen(path) < sizeof(found->names[0]))
    strcpy(found->names[found->count++], path);
  return 0;
}

int __kmp_hook_beside_libgomp = 0;
int __kmp_hook_libgomp_threads = 0;

/* Only where the main thread may use fewer processors than when libgomp began. */
static void note_threads(void *library) {
  int (*threads)(void);
  cpu_set_t now;
  if (!find(library, "omp_get_max_threads", &threads) ||
      sched_getaffinity(0, sizeof(now), &now) != 0)
    return;
  const int count = threads();
  if (count > CPU_COUNT(&now))
    __kmp_hook_libgomp_threads = count;
}

/* What libgomp's start-up has bound threads to, and may have done so to more of
 * them: those that the main thread has started inherit it. NULL: nothing. */
static processors *bound_to, *all_places;

/* The end of a library takes its locks and its threads along. libgomp is never
 * unloaded; this is not either, where it stands in for it. */
static void stay_loaded(void) {
  Dl_info self;
  if (dladdr(&__kmp_hook_beside_libgomp, &self) != 0 && self.dli_fname)
    dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void __kmp_hook_find_libgomp(void) {
  /* A child of fork() has its parent's answer, and must not ask the loader:
   * another thread of its parent may have been at it. */
  static int done;
  if (done)
    return;
  done = 1;
  libraries *found = calloc(1, sizeof(*found));
  processors *first = calloc(1, sizeof(*first));
  processors *all = calloc(1, sizeof(*all));
  int places_in_all = 0;
  if (found && first && all) {
    dl_iterate_phdr(note_name, found);
    __kmp_hook_beside_libgomp = found->count > 0;
    for (int i = 0; i < found->count; ++i) {
      void *library = dlopen(found->names[i], RTLD_LAZY | RTLD_NOLOAD);
      places of;
      if (library && find_places(library, &of)) {
        note_threads(library);
        const int count = of.count();
        for (int place = 0; place < count; ++place)
          add_place(&of, place, all);
        if (count > 0)
          add_place(&of, 0, first);
        places_in_all += count;
      }
      if (library)
        dlclose(library);
    }
  }
  free(found);
  if (__kmp_hook_beside_libgomp)
    stay_loaded();
  if (places_in_all > 0) {
    bound_to = first;
    all_places = all;
    return;
  }
  free(first);
  free(all);
}

void __kmp_hook_undo_libgomp(int last) {
  __kmp_hook_find_libgomp();
  if (!bound_to)
    return;
  processors *now = calloc(1, sizeof(*now));
  /* Only what libgomp did is undone: the program may have set its own. */
  const size_t bytes = sizeof(now->words);
  if (now && sched_getaffinity(0, bytes, (cpu_set_t *)now->words) == 0 &&
      contains_all(now, bound_to) && contains_all(bound_to, now))
    /* Not sched_setaffinity(): libgimbal_pin takes that for the program's. */
    syscall(SYS_sched_setaffinity, 0, bytes, all_places->words);
  free(now);
  if (!last)
    return;
  free(bound_to);
  free(all_places);
  bound_to = all_places = NULL;
}
