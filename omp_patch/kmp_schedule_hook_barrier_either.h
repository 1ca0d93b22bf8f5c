// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which way the barriers of kmp_barrier.cpp go. The one within regions is
// compiled twice, with and without what the schedule hook does there: a program
// that has no loop of the hook runs upstream's code and asks once a barrier
// which of the two it is. The one between regions asks nothing: once a loop of
// the hook runs, its patterns are the hook's (__kmp_hook_use).

#ifndef KMP_SCHEDULE_HOOK_BARRIER_EITHER_H
#define KMP_SCHEDULE_HOOK_BARRIER_EITHER_H

template <bool cancellable = false>
static inline int
__kmp_barrier_template(enum barrier_type bt, int gtid, int is_split,
                       size_t reduce_size, void *reduce_data,
                       void (*reduce)(void *, void *)) {
  if (KMP_HOOK_USED)
    return kmp_hook_barrier_code<true>::__kmp_barrier_template<cancellable>(
        bt, gtid, is_split, reduce_size, reduce_data, reduce);
  return kmp_hook_barrier_code<false>::__kmp_barrier_template<cancellable>(
      bt, gtid, is_split, reduce_size, reduce_data, reduce);
}

// The end of a region by libomp's own pattern, with what the hook does there.
static __attribute__((noinline)) void
__kmp_hook_gather(kmp_info_t *th, kmp_team_t *team, int gtid,
                  int tid USE_ITT_BUILD_ARG(void *itt)) {
  const enum barrier_type bt = bs_forkjoin_barrier;
  __kmp_hook_reach_used(th, team, tid, bt);
  switch (__kmp_hook_forkjoin[0]) {
  case bp_hyper_bar:
    __kmp_hyper_barrier_gather(bt, th, gtid, tid, NULL USE_ITT_BUILD_ARG(itt));
    break;
  case bp_hierarchical_bar:
    __kmp_hierarchical_barrier_gather(bt, th, gtid, tid,
                                      NULL USE_ITT_BUILD_ARG(itt));
    break;
  case bp_tree_bar:
    __kmp_tree_barrier_gather(bt, th, gtid, tid, NULL USE_ITT_BUILD_ARG(itt));
    break;
  default:
    __kmp_linear_barrier_gather(bt, th, gtid, tid,
                                NULL USE_ITT_BUILD_ARG(itt));
  }
  __kmp_hook_arrived_used(th, tid, bt);
}

// The beginning of the next one.
static __attribute__((noinline)) void
__kmp_hook_release(kmp_info_t *th, int gtid,
                   int tid USE_ITT_BUILD_ARG(void *itt)) {
  const enum barrier_type bt = bs_forkjoin_barrier;
  switch (__kmp_hook_forkjoin[1]) {
  case bp_hyper_bar:
    __kmp_hyper_barrier_release(bt, th, gtid, tid,
                                TRUE USE_ITT_BUILD_ARG(itt));
    break;
  case bp_hierarchical_bar:
    __kmp_hierarchical_barrier_release(bt, th, gtid, tid,
                                       TRUE USE_ITT_BUILD_ARG(itt));
    break;
  case bp_tree_bar:
    __kmp_tree_barrier_release(bt, th, gtid, tid, TRUE USE_ITT_BUILD_ARG(itt));
    break;
  default:
    __kmp_linear_barrier_release(bt, th, gtid, tid,
                                 TRUE USE_ITT_BUILD_ARG(itt));
  }
  __kmp_hook_left_used();
}

#endif // KMP_SCHEDULE_HOOK_BARRIER_EITHER_H
