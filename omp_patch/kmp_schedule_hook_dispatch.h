// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_dispatch.cpp gains: loops whose chunks come from the schedule hook.
// A thread's share of a loop lives in its dispatch buffer (pr->hook); the loop
// in flight hangs on the team's buffer (sh->hook_execution).

#ifndef KMP_SCHEDULE_HOOK_DISPATCH_H
#define KMP_SCHEDULE_HOOK_DISPATCH_H

#include "kmp_schedule_hook_rules.h"

// libomp's own entry points, behind those of kmp_schedule_hook_next.h.
#define __kmpc_dispatch_next_4 __kmp_plain_next_4
#define __kmpc_dispatch_next_4u __kmp_plain_next_4u
#define __kmpc_dispatch_next_8 __kmp_plain_next_8
#define __kmpc_dispatch_next_8u __kmp_plain_next_8u
#define KMP_HOOK_PLAIN(suffix, T, ST)                                          \
  extern "C" __attribute__((visibility("hidden"), noinline)) int               \
  __kmp_plain_next_##suffix(ident_t *, kmp_int32, kmp_int32 *, T *, T *, ST *);
KMP_HOOK_PLAIN(4, kmp_int32, kmp_int32)
KMP_HOOK_PLAIN(4u, kmp_uint32, kmp_int32)
KMP_HOOK_PLAIN(8, kmp_int64, kmp_int64)
KMP_HOOK_PLAIN(8u, kmp_uint64, kmp_int64)
#undef KMP_HOOK_PLAIN

// While a thread waits for the team's buffer of the loop `index`: libomp 19 does
// not see that threads of a cancelled region will never end the loop in it.
extern void __kmp_hook_pass_cancelled(kmp_uint32 index);
template <typename T>
static kmp_uint32 __kmp_hook_is_free(T buffer_index, T index) {
  if (buffer_index == index)
    return 1;
  if (__builtin_expect(__kmp_hook_cancelled && sizeof(T) == sizeof(kmp_uint32),
                       0))
    __kmp_hook_pass_cancelled((kmp_uint32)index);
  return 0;
}
#define __kmp_eq __kmp_hook_is_free

// The long way: the first chunk after another loop ran on this thread in
// between, ordered loops, techniques that measure, tools that want to see every
// chunk. Returns 0 when the loop has run out; the share is then over.
template <typename T>
__attribute__((noinline)) static int
__kmp_hook_next(kmp_info_t *th, dispatch_private_info_template<T> *pr,
                bool *last, T *p_lb, T *p_ub,
                typename traits_t<T>::signed_t *p_st) {
  gimbal_share *share = &pr->hook;
  uint64_t first, end;
  if (!__kmp_hook.gimbal_loop_next(share, &first, &end)) {
    __kmp_hook_share = nullptr;
    if (th->th.hook_waiter)
      th->th.hook_waiter->due = 1;
    __kmp_hook.gimbal_loop_leave(share); // libomp counts who has left
    *p_lb = *p_ub = 0;
    if (p_st != NULL)
      *p_st = 0;
    return 0;
  }
  if (pr->flags.ordered) {
    pr->u.p.ordered_lower = first;
    pr->u.p.ordered_upper = end - 1;
  } else if (share->fast && !share->watched) {
    __kmp_hook_share = share;
  }
  *last = end == share->trip;
  return __kmp_hook_bounds(share, first, end, nullptr, p_lb, p_ub, p_st);
}

// All threads have left the loop of this buffer, by libomp's own count.
static inline void
__kmp_hook_close(enum sched_type schedule, const gimbal_share &share,
                 std::atomic<void *> volatile *hook_execution) {
  if (schedule != kmp_sch_hook)
    return;
  if (share.owner != nullptr) {
    __kmp_hook.gimbal_loop_close(share.owner);
    return;
  }
  void *execution = hook_execution->load(std::memory_order_relaxed);
  if (execution == nullptr || __kmp_hook_is_number(execution))
    return;
  hook_execution->store(nullptr, std::memory_order_relaxed);
  __kmp_hook.gimbal_loop_close(execution);
}

// The loop in flight of this team's buffer: the first thread to come opens it,
// unless it is left to libomp. Then the loop's number stays in the buffer, odd,
// which no pointer is; nobody takes that away, so another loop's number counts
// as none.
static inline void *__kmp_hook_open(std::atomic<void *> *slot,
                                    const gimbal_loop_desc *desc) {
  // libomp waited for the buffer by plain loads: what the last loop in it left
  // is not to be seen any more. Partner: KMP_MB() before it frees a buffer.
  std::atomic_thread_fence(std::memory_order_acquire);
  static kmp_uint64 opening;
  void *const left = (void *)(desc->moment << 1 | 1);
  void *execution = slot->load(std::memory_order_acquire);
  if ((execution == nullptr ||
       (execution != left && __kmp_hook_is_number(execution))) &&
      slot->compare_exchange_strong(execution, &opening,
                                    std::memory_order_acquire)) {
    execution = __kmp_hook.gimbal_loop_open(desc);
    // Partner: the acquire loads above and below.
    slot->store(execution ? execution : left, std::memory_order_release);
    return execution;
  }
  kmp_uint32 spins;
  kmp_uint64 time;
  KMP_INIT_YIELD(spins);
  KMP_INIT_BACKOFF(time);
  while ((execution = slot->load(std::memory_order_acquire)) == &opening)
    KMP_YIELD_OVERSUB_ELSE_SPIN(spins, time);
  return execution == left ? nullptr : execution;
}

// Before this thread shares a loop with others it is to be on its own core.
static inline void __kmp_hook_go_home(kmp_info_t *th) {
  if (th->th.hook_waiter != nullptr && th->th.hook_waiter->borrowed)
    __kmp_hook.gimbal_waiter_home(th->th.hook_waiter);
}

// The same, and it is to be seen by those who will wait for it, and by who asks
// whether threads have their cores.
static inline void __kmp_hook_set_out(kmp_info_t *th) {
  if (th->th.hook_waiter == nullptr)
    th->th.hook_waiter = __kmp_hook.gimbal_waiter_mine();
  else
    __kmp_hook_go_home(th);
}

// Takes one entry of libomp's tables. Threads may come at once, and libomp may
// have set its tables anew (in a child, after a pause). Who finds the gather
// taken knows that both patterns have been kept, and that the release is taken.
static inline void __kmp_hook_take_pattern(int bt) {
  volatile kmp_bar_pat_e *gather = &__kmp_barrier_gather_pattern[bt];
  volatile kmp_bar_pat_e *release = &__kmp_barrier_release_pattern[bt];
  const kmp_bar_pat_e gathers = *gather;
  std::atomic_thread_fence(std::memory_order_acquire);
  const kmp_bar_pat_e releases = *release;
  if (gathers == bp_last_bar || gathers == bp_dist_bar)
    return;
  if (releases != bp_last_bar) {
    __kmp_hook_gather_pattern[bt] = gathers;
    __kmp_hook_release_pattern[bt] = releases;
    std::atomic_thread_fence(std::memory_order_release);
    *release = bp_last_bar;
  }
  std::atomic_thread_fence(std::memory_order_release);
  *gather = bp_last_bar;
}

// A loop of the hook runs.
static __attribute__((noinline)) void __kmp_hook_use() {
  for (int bt = bs_plain_barrier; bt < bs_last_barrier; ++bt)
    __kmp_hook_take_pattern(bt);
  __kmp_hook_used = 1;
  if (__kmp_hook_crowded_cores() == 1)
    __kmp_hook_spinning = KMP_MIN(1, __kmp_hook_may_spin);
}

// The owner in the share of a loop that was left to libomp. In that of a loop
// with a standing execution it is this, else null.
static void *const left_to_libomp = &__kmp_hook_used;

// A loop that the hook does not open: it leaves it alone, or has no memory for
// it. Programs rely on where chunks begin, so libomp keeps together what the
// hook would have kept together. Longer chunks than a loop are the loop. So is
// any chunk of more iterations than libomp's type counts up to, whose number is
// negative there: one thread runs them.
template <typename T>
static enum sched_type
__kmp_hook_without(dispatch_private_info_template<T> *pr,
                   const gimbal_loop_desc *desc) {
  const kmp_uint64 most = (kmp_uint64)traits_t<T>::max_value;
  // Of one thread they are together.
  const bool alone = desc->workers + desc->surplus <= 1;
  const kmp_uint64 granule = alone ? 1 : __kmp_hook.gimbal_loop_granule(desc);
  if (granule <= 1 && desc->trip <= most)
    return kmp_sch_static_balanced;
  pr->u.p.parm1 = (T)KMP_MIN(granule, most);
  return kmp_sch_dynamic_chunked;
}

// Starts a loop on this thread. Returns the schedule that runs it: the hook's,
// or one of libomp's for a loop that the hook does not open.
template <typename T>
__attribute__((noinline)) static enum sched_type
__kmp_hook_init(ident_t *loc, kmp_info_t *th,
                dispatch_private_info_template<T> *pr, T tc,
                const kmp_hook_wish &wish) {
  kmp_team_t *team = th->th.th_team;
  kmp_disp_t *disp = th->th.th_dispatch;
  gimbal_share *share = &pr->hook;
  bool active = !team->t.t_serialized;
  // A serial loop that a cancellation left behind.
  if (!active && share->execution)
    __kmp_hook.gimbal_loop_end(share);
  share->owner = nullptr;
  // A thread alone may have set another schedule; libomp looks at the team's.
  const kmp_r_sched_t inherited =
      active ? team->t.t_sched : th->th.th_current_task->td_icvs.sched;
  if (!active && wish.schedule == 0 &&
      SCHEDULE_WITHOUT_MODIFIERS(inherited.r_sched_type) != kmp_sch_hook)
    return kmp_sch_static_balanced;
  // GNU code starts empty loops, too, if their bounds are constants. libomp asks
  // for no chunk of such a loop, so nobody would close what is opened here, and
  // the next loop in this buffer would get its chunks: none.
  if (tc == 0)
    return kmp_sch_hook;
  if (__builtin_expect(__kmp_barrier_gather_pattern[bs_forkjoin_barrier] !=
                           bp_last_bar,
                       0))
    __kmp_hook_use();
  gimbal_loop_desc desc;
  desc.code = __kmp_hook_site;
  desc.source = loc ? loc->psource : nullptr;
  desc.trip = (typename traits_t<T>::unsigned_t)tc;
  desc.unit = wish.unit > 0 ? (kmp_uint64)wish.unit : 1;
  desc.workers = active ? th->th.th_team_nproc : 1;
  desc.surplus = 0;
  desc.part_of = NULL;
  desc.schedule = wish.schedule ? wish.schedule : inherited.chunk;
  // libomp's static compares the number of iterations as signed.
  desc.can_leave = desc.trip <= (kmp_uint64)traits_t<T>::max_value;
  desc.can_stand = 0;
  desc.apart = (kmp_uint32)__kmp_dispatch_num_buffers;
  desc.team = nullptr;
  desc.monotonic = wish.monotonic || pr->flags.ordered ||
                   disp->th_doacross_flags != NULL ||
                   (wish.schedule == 0 &&
                    SCHEDULE_HAS_MONOTONIC(inherited.r_sched_type));
  void *execution;
  if (active) {
    kmp_uint32 number = disp->th_disp_index;
    dispatch_shared_info_t *sh =
        &team->t.t_disp_buffer[(number - 1) % __kmp_dispatch_num_buffers];
    desc.moment = sh->hook_regions << 32 | number;
    bool gnu = loc != nullptr && loc->psource == __kmp_hook_gnu_source;
    desc.team = team;
    // All of GNU code's regions begin in one function, which gets theirs.
    desc.region = gnu && team->t.t_argc > 0 ? team->t.t_argv[0]
                                            : (const void *)team->t.t_pkfn;
    desc.part_of = sh->hook_region;
    if (__builtin_expect(sh->hook_own != 0, 0)) {
      desc.workers = (kmp_uint32)sh->hook_own;
      desc.surplus = th->th.th_team_nproc - desc.workers;
      desc.can_leave = 0;
    }
    // A thread of a cancelled region may miss a loop.
    desc.can_stand = desc.can_leave && !__kmp_omp_cancellation;
    gimbal_known_loop *known =
        desc.can_leave ? gimbal_known_find(__kmp_hook_known_loops, &desc)
                       : nullptr;
    const bool first = th->th.th_info.ds.ds_tid == 0;
    execution = known != nullptr ? gimbal_known_execution(known, &desc, first)
                                : nullptr;
    if (known != nullptr && execution == nullptr) {
      share->owner = left_to_libomp;
      if (first)
        gimbal_left_count(__kmp_hook_known_loops, known, &desc);
      __kmp_hook_go_home(th);
      return kmp_sch_static_balanced;
    }
    share->owner = execution;
    if (execution == nullptr &&
        (execution = __kmp_hook_open(&sh->hook_execution, &desc)) == nullptr)
      share->owner = left_to_libomp;
  } else {
    if (__kmp_hook_team.threads != 0 && team->t.t_level == 1)
      desc.part_of = __kmp_hook_team.region;
    execution = __kmp_hook.gimbal_loop_open(&desc);
  }
  if (execution == nullptr) {
    __kmp_hook_go_home(th);
    return __kmp_hook_without(pr, &desc);
  }
  if (active)
    __kmp_hook_set_out(th);
  share->base = (kmp_uint64)pr->u.p.lb;
  share->stride = (kmp_uint64)(kmp_int64)pr->u.p.st;
  __kmp_hook.gimbal_loop_begin(execution, active ? th->th.th_info.ds.ds_tid : 0,
                               share);
#if OMPT_SUPPORT && OMPT_OPTIONAL
  if (ompt_enabled.ompt_callback_dispatch)
    share->watched = 1;
#endif
  if (active && share->fast && !share->watched && !pr->flags.ordered)
    __kmp_hook_share = share;
  return kmp_sch_hook;
}

// A serialized loop hands out everything at once: libomp does that itself and
// comes here before (tc != 0) and after (tc == 0).
template <typename T>
static inline void
__kmp_hook_next_serial(dispatch_private_info_template<T> *pr) {
  uint64_t first, end;
  if (pr->hook.execution == nullptr)
    return;
  while (__kmp_hook.gimbal_loop_next(&pr->hook, &first, &end))
    ;
  if (pr->u.p.tc == 0)
    __kmp_hook.gimbal_loop_end(&pr->hook);
}

#endif // KMP_SCHEDULE_HOOK_DISPATCH_H
