/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of gcc's asks for each function under the version of libgomp's that
 * brought it. What libomp lacks under that version the idle libgomp answers,
 * which knows none of libomp's teams, tasks and allocators: here libomp answers
 * under these versions, too, and has the functions that gfortran calls where
 * default integers have eight bytes (-fdefault-integer-8). Fortran passes
 * references. Linked into the patched libomp.so. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* libomp's; handles have the size of a pointer, traits are the same in both. */
typedef uintptr_t handle;
void omp_set_num_threads(int threads);
void omp_set_dynamic(int flag);
void omp_set_nested(int flag);
void omp_set_schedule(int kind, int chunk);
void omp_get_schedule(int *kind, int *chunk);
void omp_set_max_active_levels(int levels);
int omp_get_supported_active_levels(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
void omp_set_default_device(int device);
int omp_get_device_num(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int *ids);
int omp_get_partition_num_places(void);
void omp_get_partition_place_nums(int *places);
handle omp_init_allocator(handle space, int count, void *traits);
void omp_destroy_allocator(handle allocator);
void omp_set_default_allocator(handle allocator);
handle omp_get_default_allocator(void);
void *omp_alloc(size_t bytes, handle allocator);
void *omp_aligned_alloc(size_t alignment, size_t bytes, handle allocator);
void *omp_calloc(size_t count, size_t bytes, handle allocator);
void *omp_aligned_calloc(size_t alignment, size_t count, size_t bytes,
                         handle allocator);
void *omp_realloc(void *memory, size_t bytes, handle allocator, handle before);
void omp_free(void *memory, handle allocator);
void omp_fulfill_event(handle event);
void omp_set_num_teams(int teams);
int omp_get_max_teams(void);
void omp_set_teams_thread_limit(int threads);
int omp_get_teams_thread_limit(void);
int omp_in_explicit_task(void);
void omp_display_env(int verbose);

/* What follows is found by this name under this version. Not the default one,
 * so that no program is linked with it. */
#define NAME(version, result, name, parameters)                                \
  __attribute__((visibility("default"))) result gimbal_##name parameters;      \
  __asm__(".symver gimbal_" #name "," #name "@" version);                      \
  result gimbal_##name parameters

static int to_int(int64_t value) {
  return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

/* Makes room between the `count` ints that lie at the begin of `numbers`. */
static void widen(int64_t *numbers, int count) {
  for (int i = count; i-- > 0;) {
    int number;
    memcpy(&number, (const char *)numbers + (size_t)i * sizeof(int),
           sizeof(int));
    numbers[i] = number;
  }
}

NAME("OMP_1.0", void, omp_set_num_threads_8_, (const int64_t *threads)) {
  omp_set_num_threads(to_int(*threads));
}
NAME("OMP_1.0", void, omp_set_dynamic_8_, (const int64_t *flag)) {
  omp_set_dynamic(*flag != 0);
}
NAME("OMP_1.0", void, omp_set_nested_8_, (const int64_t *flag)) {
  omp_set_nested(*flag != 0);
}
NAME("OMP_3.0", void, omp_set_schedule_8_,
     (const int32_t *kind, const int64_t *chunk)) {
  omp_set_schedule(*kind, to_int(*chunk));
}
NAME("OMP_3.0", void, omp_get_schedule_8_, (int32_t * kind, int64_t *chunk)) {
  int small = 0;
  omp_get_schedule(kind, &small);
  *chunk = small;
}
NAME("OMP_3.0", void, omp_set_max_active_levels_8_, (const int64_t *levels)) {
  omp_set_max_active_levels(to_int(*levels));
}
NAME("OMP_3.0", int, omp_get_ancestor_thread_num_8_, (const int64_t *level)) {
  return omp_get_ancestor_thread_num(to_int(*level));
}
NAME("OMP_3.0", int, omp_get_team_size_8_, (const int64_t *level)) {
  return omp_get_team_size(to_int(*level));
}
NAME("OMP_4.0", void, omp_set_default_device_8_, (const int64_t *device)) {
  omp_set_default_device(to_int(*device));
}
NAME("OMP_4.5", int, omp_get_place_num_procs_8_, (const int64_t *place)) {
  return omp_get_place_num_procs(to_int(*place));
}
NAME("OMP_4.5", void, omp_get_place_proc_ids_8_,
     (const int64_t *place, int64_t *ids)) {
  const int number = to_int(*place);
  omp_get_place_proc_ids(number, (int *)ids);
  widen(ids, omp_get_place_num_procs(number));
}
NAME("OMP_4.5", void, omp_get_partition_place_nums_8_, (int64_t * places)) {
  omp_get_partition_place_nums((int *)places);
  widen(places, omp_get_partition_num_places());
}

NAME("OMP_5.0.1", handle, omp_init_allocator,
     (handle space, int count, void *traits)) {
  return omp_init_allocator(space, count, traits);
}
NAME("OMP_5.0.1", handle, omp_init_allocator_,
     (const handle *space, const int32_t *count, void *traits)) {
  return omp_init_allocator(*space, *count, traits);
}
NAME("OMP_5.0.1", handle, omp_init_allocator_8_,
     (const handle *space, const int64_t *count, void *traits)) {
  return omp_init_allocator(*space, to_int(*count), traits);
}
NAME("OMP_5.0.1", void, omp_destroy_allocator, (handle allocator)) {
  omp_destroy_allocator(allocator);
}
NAME("OMP_5.0.1", void, omp_destroy_allocator_, (const handle *allocator)) {
  omp_destroy_allocator(*allocator);
}
NAME("OMP_5.0.1", void, omp_set_default_allocator, (handle allocator)) {
  omp_set_default_allocator(allocator);
}
NAME("OMP_5.0.1", void, omp_set_default_allocator_, (const handle *allocator)) {
  omp_set_default_allocator(*allocator);
}
NAME("OMP_5.0.1", handle, omp_get_default_allocator, (void)) {
  return omp_get_default_allocator();
}
NAME("OMP_5.0.1", handle, omp_get_default_allocator_, (void)) {
  return omp_get_default_allocator();
}
NAME("OMP_5.0.1", void *, omp_alloc, (size_t bytes, handle allocator)) {
  return omp_alloc(bytes, allocator);
}
NAME("OMP_5.0.1", void, omp_free, (void *memory, handle allocator)) {
  omp_free(memory, allocator);
}
NAME("OMP_5.0.2", void *, omp_aligned_alloc,
     (size_t alignment, size_t bytes, handle allocator)) {
  return omp_aligned_alloc(alignment, bytes, allocator);
}
NAME("OMP_5.0.2", void *, omp_calloc,
     (size_t count, size_t bytes, handle allocator)) {
  return omp_calloc(count, bytes, allocator);
}
NAME("OMP_5.0.2", void *, omp_aligned_calloc,
     (size_t alignment, size_t count, size_t bytes, handle allocator)) {
  return omp_aligned_calloc(alignment, count, bytes, allocator);
}
NAME("OMP_5.0.2", void *, omp_realloc,
     (void *memory, size_t bytes, handle allocator, handle before)) {
  return omp_realloc(memory, bytes, allocator, before);
}

NAME("OMP_5.0.1", int, omp_get_supported_active_levels, (void)) {
  return omp_get_supported_active_levels();
}
NAME("OMP_5.0.1", int, omp_get_supported_active_levels_, (void)) {
  return omp_get_supported_active_levels();
}
NAME("OMP_5.0.1", void, omp_fulfill_event, (handle event)) {
  omp_fulfill_event(event);
}
NAME("OMP_5.0.1", void, omp_fulfill_event_, (handle event)) { /* by value */
  omp_fulfill_event(event);
}
NAME("OMP_5.0.2", int, omp_get_device_num, (void)) {
  return omp_get_device_num();
}
NAME("OMP_5.0.2", int, omp_get_device_num_, (void)) {
  return omp_get_device_num();
}

NAME("OMP_5.1", void, omp_set_num_teams, (int teams)) {
  omp_set_num_teams(teams);
}
NAME("OMP_5.1", void, omp_set_num_teams_, (const int32_t *teams)) {
  omp_set_num_teams(*teams);
}
NAME("OMP_5.1", void, omp_set_num_teams_8_, (const int64_t *teams)) {
  omp_set_num_teams(to_int(*teams));
}
NAME("OMP_5.1", int, omp_get_max_teams, (void)) { return omp_get_max_teams(); }
NAME("OMP_5.1", int, omp_get_max_teams_, (void)) { return omp_get_max_teams(); }
NAME("OMP_5.1", void, omp_set_teams_thread_limit, (int threads)) {
  omp_set_teams_thread_limit(threads);
}
NAME("OMP_5.1", void, omp_set_teams_thread_limit_, (const int32_t *threads)) {
  omp_set_teams_thread_limit(*threads);
}
NAME("OMP_5.1", void, omp_set_teams_thread_limit_8_, (const int64_t *threads)) {
  omp_set_teams_thread_limit(to_int(*threads));
}
NAME("OMP_5.1", int, omp_get_teams_thread_limit, (void)) {
  return omp_get_teams_thread_limit();
}
NAME("OMP_5.1", int, omp_get_teams_thread_limit_, (void)) {
  return omp_get_teams_thread_limit();
}
NAME("OMP_5.1", void, omp_display_env, (int verbose)) {
  omp_display_env(verbose);
}
NAME("OMP_5.1", void, omp_display_env_, (const int32_t *verbose)) {
  omp_display_env(*verbose);
}
NAME("OMP_5.1", void, omp_display_env_8_, (const int64_t *verbose)) {
  omp_display_env(*verbose != 0);
}
/* The begin of `scope reduction(task, ...)`: kmp_schedule_hook_gomp.h. */
void __kmp_hook_scope_start(uintptr_t *reductions);
NAME("GOMP_5.1", void, GOMP_scope_start, (uintptr_t * reductions)) {
  __kmp_hook_scope_start(reductions);
}

/* Of gcc 13. */
NAME("OMP_5.2", int, omp_in_explicit_task, (void)) {
  return omp_in_explicit_task();
}
NAME("OMP_5.2", int, omp_in_explicit_task_, (void)) {
  return omp_in_explicit_task();
}
