// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hook's pattern of barriers: libomp's own, with what the hook does before
// and after. libomp decides by a table which pattern a barrier has, so programs
// without a loop of the hook run upstream's code (__kmp_hook_use).

#ifndef KMP_SCHEDULE_HOOK_PATTERN_H
#define KMP_SCHEDULE_HOOK_PATTERN_H

// Who has found the hook's entry in the table finds what was kept before it.
static inline int __kmp_hook_kept(const int *pattern) {
  std::atomic_thread_fence(std::memory_order_acquire);
  return *pattern;
}

// Who sleeps as soon as it comes does so in a call that ends a thread that the
// program has cancelled, and the team would wait for it for ever.
class kmp_hook_uncancelled {
public:
  explicit kmp_hook_uncancelled(bool sleeps) : sleeps(sleeps) {
    if (sleeps)
      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  }
  ~kmp_hook_uncancelled() {
    if (sleeps)
      pthread_setcancelstate(before, nullptr);
  }

private:
  bool sleeps;
  int before = PTHREAD_CANCEL_ENABLE;
};

// All come. The primary of a barrier in two parts goes on when they have.
static __attribute__((noinline)) void
__kmp_hook_gather(enum barrier_type bt, kmp_info_t *th, kmp_team_t *team,
                  int gtid, int tid, int is_split,
                  void (*reduce)(void *, void *)
                      USE_ITT_BUILD_ARG(void *itt)) {
  __kmp_hook_reach_used(th, team, tid, bt);
  __kmp_hook_can_sleep = 1;
  const kmp_hook_uncancelled uncancelled(team->t.t_nproc > __kmp_hook_spinning);
  switch (__kmp_hook_kept(&__kmp_hook_gather_pattern[bt])) {
  case bp_hyper_bar:
    __kmp_hyper_barrier_gather(bt, th, gtid, tid,
                               reduce USE_ITT_BUILD_ARG(itt));
    break;
  case bp_hierarchical_bar:
    __kmp_hierarchical_barrier_gather(bt, th, gtid, tid,
                                      reduce USE_ITT_BUILD_ARG(itt));
    break;
  case bp_tree_bar:
    __kmp_tree_barrier_gather(bt, th, gtid, tid, reduce USE_ITT_BUILD_ARG(itt));
    break;
  default:
    __kmp_linear_barrier_gather(bt, th, gtid, tid,
                                reduce USE_ITT_BUILD_ARG(itt));
  }
  __kmp_hook_arrived_used(th, tid, bt);
  if (is_split && KMP_MASTER_TID(tid))
    __kmp_hook_left_used();
}

// They go on.
static __attribute__((noinline)) void
__kmp_hook_release(enum barrier_type bt, kmp_info_t *th, int gtid, int tid,
                   int propagate_icvs USE_ITT_BUILD_ARG(void *itt)) {
  __kmp_hook_can_sleep = 1;
  switch (__kmp_hook_kept(&__kmp_hook_release_pattern[bt])) {
  case bp_hyper_bar:
    __kmp_hyper_barrier_release(bt, th, gtid, tid,
                                propagate_icvs USE_ITT_BUILD_ARG(itt));
    break;
  case bp_hierarchical_bar:
    __kmp_hierarchical_barrier_release(bt, th, gtid, tid,
                                       propagate_icvs USE_ITT_BUILD_ARG(itt));
    break;
  case bp_tree_bar:
    __kmp_tree_barrier_release(bt, th, gtid, tid,
                               propagate_icvs USE_ITT_BUILD_ARG(itt));
    break;
  default:
    __kmp_linear_barrier_release(bt, th, gtid, tid,
                                 propagate_icvs USE_ITT_BUILD_ARG(itt));
  }
  __kmp_hook_left_used();
}

// Waits to be released at a barrier that may be cancelled. All have come to it if
// the primary counts as many as this thread: then who has cancelled the region is
// further already, and all go on. libomp 19 takes this barrier for cancelled, and
// its counts differ from then on.
static bool __kmp_hook_release_cancellable(
    enum barrier_type bt, kmp_info_t *th, int gtid, int tid,
    int propagate_icvs USE_ITT_BUILD_ARG(void *itt)) {
  if (!__kmp_linear_barrier_release_cancellable(
          bt, th, gtid, tid, propagate_icvs USE_ITT_BUILD_ARG(itt)))
    return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (th->th.th_bar[bt].bb.b_arrived != th->th.th_team->t.t_bar[bt].b_arrived)
    return true;
  // The primary is about to let this one go. Tasks of the next phase are not to be
  // counted here.
  kmp_flag_64<> flag(&th->th.th_bar[bt].bb.b_go, KMP_BARRIER_STATE_BUMP);
  while (!flag.done_check())
    KMP_YIELD(TRUE);
  __kmp_linear_barrier_release(bt, th, gtid, tid,
                               propagate_icvs USE_ITT_BUILD_ARG(itt));
  return false;
}
#define __kmp_linear_barrier_release_cancellable __kmp_hook_release_cancellable

// Cases of libomp's switches; the last argument ends in USE_ITT_BUILD_ARG().
#define KMP_HOOK_GATHER(bt, is_split, reduce)                                  \
  case bp_last_bar:                                                            \
    __kmp_hook_gather(bt, this_thr, team, gtid, tid, is_split, reduce);        \
    break;
#define KMP_HOOK_RELEASE(bt, propagate_icvs)                                   \
  case bp_last_bar:                                                            \
    __kmp_hook_release(bt, this_thr, gtid, tid, propagate_icvs);               \
    break;

#endif // KMP_SCHEDULE_HOOK_PATTERN_H
