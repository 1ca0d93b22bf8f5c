// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_gsupport.cpp gains: a mark on the loops of GNU code, and the start of
// a downward loop over unsigned long long. GNU code passes the negative step as
// it is and a flag that says which way; libomp 19 negates the step and ignores
// the flag, so that such a loop runs no iteration at all.

#ifndef KMP_SCHEDULE_HOOK_GOMP_H
#define KMP_SCHEDULE_HOOK_GOMP_H

// As before, but for the string that marks GNU code.
#undef MKLOC
#define MKLOC(loc, routine)                                                    \
  static ident_t loc = {0, KMP_IDENT_KMPC, 0, 0, __kmp_hook_gnu_source};

static int __kmp_hook_start_down(ident_t *loc, int gtid,
                                 enum sched_type schedule, kmp_uint64 lb,
                                 kmp_uint64 ub, kmp_uint64 str,
                                 kmp_uint64 chunk, unsigned long long *p_lb,
                                 unsigned long long *p_ub) {
  if (lb <= ub)
    return 0;
  kmp_int64 stride;
  KMP_DISPATCH_INIT_ULL(loc, gtid, schedule, lb, ub + 1, (kmp_int64)str,
                        (kmp_int64)chunk, schedule != kmp_sch_static);
  int status = KMP_DISPATCH_NEXT_ULL(loc, gtid, NULL, (kmp_uint64 *)p_lb,
                                     (kmp_uint64 *)p_ub, &stride);
  if (status)
    *p_ub -= 1;
  return status;
}

#endif // KMP_SCHEDULE_HOOK_GOMP_H
