// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of kmp_barrier.cpp is compiled twice, with and without what the
// schedule hook does there: a program that has no loop of the hook runs
// upstream's code and asks once a barrier which of the two it is.

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

#endif // KMP_SCHEDULE_HOOK_BARRIER_EITHER_H
