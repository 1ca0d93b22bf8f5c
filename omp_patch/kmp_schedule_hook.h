// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp.h gains: the schedule hook as the rest of libomp sees it. The patch
// only calls what is declared here; kmp_schedule_hook_dispatch.h implements the
// part that needs the dispatch templates.

#ifndef KMP_SCHEDULE_HOOK_H
#define KMP_SCHEDULE_HOOK_H

#include "schedule_hook.h"

// All are found without the global offset table: every region looks at some.
#define KMP_HOOK_HIDDEN __attribute__((visibility("hidden")))
extern "C" {
// Whether any loop of the hook has run in this process. Until then all of
// libomp's paths are its own but for a look at this here and there.
extern KMP_HOOK_HIDDEN int __kmp_hook_used;
// libomp's patterns of each type of barrier, once loops of the hook run: then
// its tables have bp_last_bar, so that its own switch finds the hook's part and
// no other program looks for it. Not where they are bp_dist_bar: much of libomp
// asks for that.
extern KMP_HOOK_HIDDEN int __kmp_hook_gather_pattern[bs_last_barrier];
extern KMP_HOOK_HIDDEN int __kmp_hook_release_pattern[bs_last_barrier];
// The share of the loop that this thread is drawing chunks from, if the next
// chunk may be drawn without asking anybody; NULL otherwise. Every loop start
// on this thread clears it, so a match can never be another loop's.
extern __thread gimbal_share *__kmp_hook_share
    __attribute__((tls_model("initial-exec")));
// Where in the program the loop that is about to start lies.
extern __thread const void *__kmp_hook_site
    __attribute__((tls_model("initial-exec")));
// Not 0 once a region was cancelled: it can leave a loop behind that some of its
// threads never entered (t_hook_cancelled says which teams had one). Then another
// number after each end of a root, odd.
extern KMP_HOOK_HIDDEN int __kmp_hook_cancelled;
// The loops that are left to libomp for now.
extern KMP_HOOK_HIDDEN gimbal_known_table *__kmp_hook_known_loops;
// Whether the user has named loops: only then are loops of other schedules
// looked at, but for the first one (__kmp_hook_looks).
extern KMP_HOOK_HIDDEN int __kmp_hook_rules;
// Whether threads that wait lend their cores: not in elastic teams.
extern KMP_HOOK_HIDDEN int __kmp_hook_lending;
// Threads of a team that have cores, if others may join it; 0: no team is such.
extern KMP_HOOK_HIDDEN int __kmp_hook_elastic;
// Threads that a team may have for them to spin where they wait: by what is known
// at the start, and now (__kmp_hook_yield).
extern KMP_HOOK_HIDDEN int __kmp_hook_may_spin;
extern KMP_HOOK_HIDDEN int __kmp_hook_spinning;
// This thread has come to a barrier, and has not yielded there.
extern __thread int __kmp_hook_can_sleep
    __attribute__((tls_model("initial-exec")));
// Where a trace is written: what is told of barriers; else null.
extern KMP_HOOK_HIDDEN void (*__kmp_hook_barrier)(gimbal_barrier_moment moment);
// The team that this thread has forked, if such are asked for and it is not
// inside another one; no threads: there is none.
extern __thread gimbal_team __kmp_hook_team
    __attribute__((tls_model("initial-exec")));
// The psource of every loop that GNU code starts: tells it from other code that
// says as little about itself.
extern const char __kmp_hook_gnu_source[];
}

// Whether loops other than the first one are looked at when they start.
#define KMP_HOOK_LOOKS_ALWAYS (__kmp_hook_looks & ~KMP_HOOK_FIRST_LOOP)

// Whether the loop that starts is looked at; asked after it has been counted
// (__kmp_hook_begin_set).
static inline int __kmp_hook_may_look() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return __atomic_load_n(&__kmp_hook_looks, __ATOMIC_RELAXED);
}

#define KMP_HOOK_USED (__builtin_expect(__kmp_hook_used != 0, 0))

// Puts libomp's own patterns where its tables have the hook's.
static inline void __kmp_hook_own_patterns(int bt, int *gather, int *release) {
  if (*gather == bp_last_bar)
    *gather = __kmp_hook_gather_pattern[bt];
  if (*release == bp_last_bar)
    *release = __kmp_hook_release_pattern[bt];
}

// What a loop that starts asks of the hook.
struct kmp_hook_wish {
  kmp_int64 unit = 1;     // chunks begin at multiples of this; below 1 as 1
  bool monotonic = false; // by the program's modifier
  int schedule = 0; // of the hook's: the user has named the loop, or it was set
                    // in this region; 0: the team's
};

// `kmp_hook_monotonic | schedule` for the entry points of GNU code that promise
// ascending chunks. libomp's own schedules are ascending there anyway.
struct kmp_hook_monotonic_t {
  constexpr enum sched_type operator|(enum sched_type schedule) const {
    return (enum sched_type)(schedule | kmp_sch_modifier_monotonic);
  }
};
static constexpr kmp_hook_monotonic_t kmp_hook_monotonic;

// Notes the place in the program for a loop that starts in this scope; the
// outermost of several nested entry points wins. One byte before the return
// address: still inside the call, so on the loop's own line.
class KmpHookSite {
  bool Set;

public:
  explicit KmpHookSite(const void *Return) : Set(__kmp_hook_site == nullptr) {
    if (Set)
      __kmp_hook_site = (const char *)Return - 1;
  }
  ~KmpHookSite() {
    if (Set)
      __kmp_hook_site = nullptr;
  }
};
#define KMP_HOOK_SITE() KmpHookSite HookSite(__builtin_return_address(0));
// The same for a region that the compiler outlined together with its loop.
#define KMP_HOOK_SITE_TASK(task) __kmp_hook_site = (const void *)(task);

// Turns a chunk of iterations [first, end) into the bounds the program sees.
template <typename T, typename ST>
static inline int __kmp_hook_bounds(const gimbal_share *share, kmp_uint64 first,
                                    kmp_uint64 end, kmp_int32 *p_last, T *p_lb,
                                    T *p_ub, ST *p_st) {
  // Modulo 2^64 and cut to T: right for every width, sign and stride.
  *p_lb = (T)(share->base + first * share->stride);
  *p_ub = (T)(share->base + (end - 1) * share->stride);
  if (p_st != nullptr)
    *p_st = (ST)share->stride;
  if (p_last != nullptr)
    *p_last = end == share->trip;
  return 1;
}

// The short way to the next chunk as GNU code wants it: the upper bound is the
// first value outside.
template <typename T>
static inline int __kmp_hook_bounds_gomp(gimbal_share *share, uint64_t first,
                                         uint64_t end, T *p_lb, T *p_ub) {
  *p_lb = (T)(share->base + first * share->stride);
  *p_ub = (T)(share->base + (end - 1) * share->stride +
              ((kmp_int64)share->stride > 0 ? 1 : -1));
  return 1;
}

// Where a trace is written all chunks come from the hook. A function of its
// own: what it keeps on the stack is no business of those without a trace.
template <typename T>
static __attribute__((noinline)) int
__kmp_hook_next_gomp_traced(gimbal_share *share, T *p_lb, T *p_ub) {
  uint64_t first, end;
  if (!__kmp_hook.gimbal_loop_next(share, &first, &end))
    return 0;
  return __kmp_hook_bounds_gomp(share, first, end, p_lb, p_ub);
}

template <typename T> static inline int __kmp_hook_next_gomp(T *p_lb, T *p_ub) {
  gimbal_share *share = __kmp_hook_share;
  uint64_t first, end;
  if (share == nullptr)
    return 0;
  if (gimbal_share_next(share, &first, &end))
    return __kmp_hook_bounds_gomp(share, first, end, p_lb, p_ub);
  return share->traced && __kmp_hook_next_gomp_traced(share, p_lb, p_ub);
}

// As long as it lives its thread is not cancelled by pthread_cancel(). libomp
// begins at a program's first region, with files and a lock that all threads
// need; libgomp has begun before main().
struct __kmp_hook_uncancelled {
  int before;
  __kmp_hook_uncancelled() {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  }
  ~__kmp_hook_uncancelled() { pthread_setcancelstate(before, nullptr); }
};

// A thread is at a `cancel` of what its team had the request `old` for, 0: none.
// Returns `kind`: it leaves that, whatever else is cancelled. libomp 19 lets it
// go on where the request is of another kind.
extern kmp_int32 __kmp_hook_cancel(kmp_info_t *th, kmp_int32 kind,
                                   kmp_int32 old);

// A thread leaves its loop by cancellation instead of running out of chunks, and
// its region if that is the kind.
extern void __kmp_hook_leave(kmp_info_t *th, kmp_int32 kind);

// As much of a team as says what it was asked to cancel.
struct kmp_hook_seen_team {
  struct {
    kmp_int32 t_cancel_request;
  } t;
};

// At a cancellation point a request of another kind is none: libomp 19 ends the
// process. It also would where the request becomes another thread's for the
// region while this one leaves, so what follows reads the one that was seen.
#define KMP_HOOK_CANCELLATION_POINT(thread, kind)                              \
  if ((thread)->th.th_team->t.t_cancel_request != (kind))                      \
    return 0;                                                                  \
  __kmp_hook_leave(thread, kind);                                              \
  const kmp_hook_seen_team seen_team = {{kind}}, *this_team = &seen_team;

// A thread that has nothing more to do for its team's tasks at a barrier learns
// that the region is cancelled. Whether it says that it has, after all: not if all
// have come, so that the barrier is none that is cancelled. The primary, whose
// count is not kept, gathers them.
static inline bool __kmp_hook_undoes_tasks(kmp_info_t *th) {
  if (th->th.th_task_team == NULL)
    return false;
  return th->th.th_info.ds.ds_tid == 0 ||
         th->th.th_bar[bs_plain_barrier].bb.b_arrived !=
             th->th.th_team->t.t_bar[bs_plain_barrier].b_arrived;
}

// libomp 19's own is not called any more: see kmp_schedule_hook_cancel.h.
#define __kmpc_cancel_barrier __kmp_plain_cancel_barrier

// `primary`: the thread that forks the team; NULL: it loses its arrays.
extern void __kmp_hook_forget_cancelled(kmp_team_t *team, kmp_info_t *primary);

// A team that grows, or ends, is about to lose its arrays: what a cancelled
// region has left there goes before.
static inline void __kmp_hook_lose_arrays(kmp_team_t *team) {
  if (team->t.t_hook_cancelled && team->t.t_max_nproc > 1)
    __kmp_hook_forget_cancelled(team, nullptr);
}

// The last iteration of a task of a taskloop. libomp 19 bounds it by the loop's
// last one, compared without signs: right for clang, which counts from 0, but
// not for the bounds of GNU code, of which each task gets what is its part.
#define KMP_HOOK_GNU_BOUND(task, upper, bound)                                 \
  if (KMP_TASK_TO_TASKDATA(task)->td_flags.native)                             \
    (upper) = (bound);

// Whether a team's buffer holds no loop in flight but the number of one that
// was left to libomp.
static inline bool __kmp_hook_is_number(const void *execution) {
  return ((kmp_uint64)(kmp_uintptr_t)execution & 1) != 0;
}

// Threads that a team which `th` forks can have under OMP_THREAD_LIMIT and
// KMP_DEVICE_THREAD_LIMIT, as __kmp_reserve_threads() counts them. That one has
// a lock, and the last word.
static inline int __kmp_hook_thread_limit(kmp_info_t *th) {
  const kmp_root_t *root = th->th.th_root;
  const kmp_cg_root_t *group = th->th.th_cg_roots;
  const int has = root->r.r_active ? 1 : root->r.r_hot_team->t.t_nproc;
  return has + KMP_MIN(__kmp_max_nth - __kmp_nth,
                       group->cg_thread_limit - group->cg_nthreads);
}

// For __kmp_hook_team_size() where teams are elastic. No surplus workers are
// asked for where a limit forbids them: libomp would say that it cuts the team.
static __attribute__((noinline)) int
__kmp_hook_elastic_size(kmp_info_t *th, int level, int asked, int named,
                        bool gnu, microtask_t task, kmp_va_list ap) {
  if (level > 0 || th->th.th_teams_microtask != NULL ||
      __kmp_hook_team.threads != 0) {
    __kmp_hook.gimbal_team_inside();
    return asked;
  }
  const void *code = (const void *)task;
  if (gnu && ap) {
    va_list arguments;
    va_copy(arguments, kmp_va_deref(ap));
    code = va_arg(arguments, void *);
    va_end(arguments);
  }
  __kmp_hook_team = __kmp_hook.gimbal_team_begin(named ? NULL : code, asked);
  const int threads = (int)__kmp_hook_team.threads;
  return threads == asked
             ? asked
             : KMP_MAX(asked, KMP_MIN(threads, __kmp_hook_thread_limit(th)));
}

// A team forks that would get `asked` threads, which the program has named if
// `named`. Returns how many it gets. GNU code's regions all begin in one
// function, whose first argument is theirs.
static inline int __kmp_hook_team_size(kmp_info_t *th, int level, int asked,
                                       int named, bool gnu, microtask_t task,
                                       kmp_va_list ap) {
  if (__builtin_expect(__kmp_hook_elastic == 0, 1))
    return asked;
  return __kmp_hook_elastic_size(th, level, asked, named, gnu, task, ap);
}

// The same by the names that __kmp_fork_call() has for all this.
#define KMP_HOOK_TEAM_SIZE(asked)                                              \
  __kmp_hook_team_size(master_th, level, (asked), master_set_numthreads,       \
                       call_context == fork_context_gnu, microtask, ap)

// For the next two where teams are elastic. The primary knows its team before
// the others do; threads that libomp does not know are in none.
static __attribute__((noinline)) int __kmp_hook_note_numbers(bool outermost) {
  gimbal_region *region = __kmp_hook_team.region;
  kmp_uint64 own = 0;
  int gtid = __kmp_get_global_thread_id();
  if (gtid >= 0) {
    const kmp_team_t *team = __kmp_threads[gtid]->th.th_team;
    while (outermost && team != NULL && team->t.t_level > 1)
      team = team->t.t_parent;
    if (team != NULL && team->t.t_max_nproc > 1) {
      own = team->t.t_disp_buffer[0].hook_own;
      if (region == NULL)
        region = (gimbal_region *)team->t.t_disp_buffer[0].hook_region;
    }
  }
  if (region != NULL)
    __kmp_hook.gimbal_team_numbered(region);
  return (int)own;
}

// The program asks for the number of this thread, or how many there are. Returns
// what it is told of the latter: how many have cores; 0: all that there are.
static inline int __kmp_hook_numbered() {
  if (__builtin_expect(__kmp_hook_elastic == 0, 1))
    return 0;
  return __kmp_hook_note_numbers(false);
}

// The same of the team at a level. Elastic ones are outermost.
static inline int __kmp_hook_numbered_at(int level) {
  if (__builtin_expect(__kmp_hook_elastic == 0, 1) || level != 1)
    return 0;
  return __kmp_hook_note_numbers(true);
}

#define KMP_HOOK_OWN_THREADS(asked)                                            \
  if (int own = (asked))                                                       \
    return own;

// The outermost team of this thread ends.
static inline void __kmp_hook_team_end(kmp_info_t *th) {
  if (__builtin_expect(__kmp_hook_elastic == 0, 1) ||
      __kmp_hook_team.threads == 0)
    return;
  kmp_team_t *team = th->th.th_team;
  if (team->t.t_level != 1 || team->t.t_serialized > 1)
    return;
  __kmp_hook.gimbal_team_end(__kmp_hook_team.region);
  // Serial code may ask for numbers: they are of no region.
  __kmp_hook_team.region = NULL;
  __kmp_hook_team.threads = 0;
}

// For the loops of a team that this thread has forked. A limit may have left it
// no more threads than have cores, or fewer.
static inline void __kmp_hook_note_team(kmp_team_t *team) {
  bool outermost = team->t.t_level == 1 && __kmp_hook_team.threads != 0;
  bool has_surplus =
      outermost && __kmp_hook_team.own < (uint32_t)team->t.t_nproc;
  kmp_uint64 own = has_surplus ? __kmp_hook_team.own : 0;
  gimbal_region *region = outermost ? __kmp_hook_team.region : NULL;
  for (int i = 0; i < __kmp_dispatch_num_buffers; ++i) {
    team->t.t_disp_buffer[i].hook_own = own;
    team->t.t_disp_buffer[i].hook_region = region;
  }
}

// For __kmp_hook_reset() where the hook has something to do.
static __attribute__((noinline)) void __kmp_hook_reset_used(kmp_team_t *team) {
  team->t.t_hook_looked = KMP_HOOK_LOOKS_ALWAYS != 0;
  if (team->t.t_max_nproc <= 1)
    return;
  if (__kmp_hook_elastic != 0)
    __kmp_hook_note_team(team);
  if (__builtin_expect(__kmp_hook_cancelled && team->t.t_hook_cancelled, 0))
    __kmp_hook_forget_cancelled(team, team->t.t_threads[0]);
  for (int i = 0; i < __kmp_dispatch_num_buffers; ++i) {
    dispatch_shared_info_t *sh = &team->t.t_disp_buffer[i];
    ++sh->hook_regions; // on a line that a fork writes anyway
    if (__builtin_expect(team->t.t_hook_looked, 0))
      sh->hook_rule.store(0, std::memory_order_relaxed);
  }
}

// A team forks: count its regions; forget whose loops the last one's were, and
// loops that a cancelled region left behind. The numbers of loops count
// regions, so they may stay.
static inline void __kmp_hook_reset(kmp_team_t *team) {
  if (__builtin_expect(
          (__kmp_hook_used | KMP_HOOK_LOOKS_ALWAYS | __kmp_hook_elastic |
           __kmp_hook_cancelled) != 0,
          0))
    __kmp_hook_reset_used(team);
}

// gfortran passes references. libomp 19 takes these arguments of the functions
// of Fortran's names by value; nothing but gfortran's code calls them.
#define __kmp_api_omp_get_place_num_procs_(place)                              \
  __kmp_api_omp_get_place_num_procs_(const int &place_num)
#define __kmp_api_omp_get_place_proc_ids_(place, ids)                          \
  __kmp_api_omp_get_place_proc_ids_(const int &place_num, ids)
#define __kmp_api_omp_pause_resource_(how, device)                             \
  __kmp_api_omp_pause_resource_(const kmp_pause_status_t &kind,                \
                                const int &device_num)
#define __kmp_api_omp_pause_resource_all_(how)                                 \
  __kmp_api_omp_pause_resource_all_(const kmp_pause_status_t &kind)

#include "kmp_schedule_hook_schedule.h"

#include "kmp_schedule_hook_process.h"

#endif // KMP_SCHEDULE_HOOK_H
