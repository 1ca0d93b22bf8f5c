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
#include <stdio.h>
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

static int is_in(const processors *set, int processor) {
  const unsigned bits = 8 * sizeof(unsigned long);
  return (int)(set->words[(unsigned)processor / bits] >>
               (unsigned)processor % bits) & 1;
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

/* "{first:count,...}" */
static void write_place(const processors *set, FILE *text) {
  const int bits = 8 * (int)sizeof(set->words[0]);
  const char *before = "{";
  for (int i = 0; i < kMaxProcessors; ++i) {
    if (set->words[i / bits] == 0)
      i += bits - 1; /* there are many places where there are many of them */
    if (!is_in(set, i))
      continue;
    const int begin = i;
    while (i + 1 < kMaxProcessors && is_in(set, i + 1))
      ++i;
    fprintf(text, "%s%d:%d", before, begin, i + 1 - begin);
    before = ",";
  }
  fputc('}', text);
}

/* @return OMP_PLACES as libgomp has read it, allocated; NULL: no places */
static char *written(const places *of) {
  char *text = NULL;
  size_t length = 0;
  const int count = of->count();
  FILE *into = count > 0 ? open_memstream(&text, &length) : NULL;
  processors *one = calloc(1, sizeof(*one));
  if (into && one) {
    for (int place = 0; place < count; ++place) {
      memset(one, 0, sizeof(*one));
      add_place(of, place, one);
      fputs(place == 0 ? "OMP_PLACES=" : ",", into);
      write_place(one, into);
    }
  }
  free(one);
  if (into)
    fclose(into);
  return text;
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
char *__kmp_hook_libgomp_places = NULL;

/* As many as the main thread has processors, and no fewer than libgomp says:
 * the thread has given some away, or is bound. Fewer are what somebody has set
 * by a handle of it since. Of several libgomps the first one's. */
static void note_threads(void *library) {
  int (*threads)(void);
  processors *now = calloc(1, sizeof(*now));
  if (now && __kmp_hook_libgomp_threads == 0 &&
      find(library, "omp_get_max_threads", &threads)) {
    int count = 0;
    if (sched_getaffinity(0, sizeof(now->words), (cpu_set_t *)now->words) == 0)
      count = CPU_COUNT_S(sizeof(now->words), (cpu_set_t *)now->words);
    const int by_libgomp = threads();
    __kmp_hook_libgomp_threads = by_libgomp > count ? by_libgomp : count;
  }
  free(now);
}

/* What libgomp's start-up has bound threads to, and may have done so to more of
 * them: those that the main thread has started inherit it. NULL: nothing. */
static processors *bound_to, *all_places;

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
        if (!__kmp_hook_libgomp_places)
          __kmp_hook_libgomp_places = written(&of);
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
  if (places_in_all > 0) {
    bound_to = first;
    all_places = all;
    return;
  }
  free(first);
  free(all);
}

/* The program may have set a mask of its own since. */
static int is_bound_by_libgomp(void) {
  processors *now = calloc(1, sizeof(*now));
  const int is = now && bound_to &&
                 sched_getaffinity(0, sizeof(now->words),
                                   (cpu_set_t *)now->words) == 0 &&
                 contains_all(now, bound_to) && contains_all(bound_to, now);
  free(now);
  return is;
}

char *__kmp_hook_places_of_bound(void) {
  return is_bound_by_libgomp() ? __kmp_hook_libgomp_places : NULL;
}

void __kmp_hook_undo_libgomp(int last) {
  __kmp_hook_find_libgomp();
  if (!bound_to)
    return;
  if (is_bound_by_libgomp())
    /* Not sched_setaffinity(): libgimbal_pin takes that for the program's. */
    syscall(SYS_sched_setaffinity, 0, sizeof(all_places->words),
            all_places->words);
  if (!last)
    return;
  free(bound_to);
  free(all_places);
  bound_to = all_places = NULL;
}
