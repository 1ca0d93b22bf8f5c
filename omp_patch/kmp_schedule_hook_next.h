// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_dispatch.cpp gains at the end of its entry points: the exported
// __kmpc_dispatch_next_*, which look at one flag and then run libomp's own
// functions (renamed in kmp_schedule_hook_dispatch.h) with the arguments and
// the return address as they came. A process in which no loop of the hook ran
// pays one predictable branch a chunk; the ordinary functions keep upstream's
// code.

#undef __kmpc_dispatch_next_4
#undef __kmpc_dispatch_next_4u
#undef __kmpc_dispatch_next_8
#undef __kmpc_dispatch_next_8u

// The short way to the next chunk, for a thread whose __kmp_hook_share is set.
// The flag of the process is looked at first: a word of the library's own, where
// the thread's share takes two loads.
// When the loop has run out, libomp's own function ends the share. Where a
// trace is written all chunks come from the hook, by a function of its own:
// what that keeps on the stack is no business of those without a trace. Each
// begins with a cache line, wherever other code has moved to.
#define KMP_HOOK_NEXT(suffix, T, ST)                                           \
  static __attribute__((noinline)) int __kmp_hook_traced_next_##suffix(        \
      ident_t *loc, kmp_int32 gtid, kmp_int32 *p_last, T *p_lb, T *p_ub,       \
      ST *p_st) {                                                              \
    gimbal_share *share = __kmp_hook_share;                                    \
    uint64_t first, end;                                                       \
    if (__kmp_hook.gimbal_loop_next(share, &first, &end))                      \
      return __kmp_hook_bounds(share, first, end, p_last, p_lb, p_ub, p_st);   \
    __kmp_hook_share = nullptr;                                                \
    return __kmp_plain_next_##suffix(loc, gtid, p_last, p_lb, p_ub, p_st);     \
  }                                                                            \
  __attribute__((aligned(64))) int __kmpc_dispatch_next_##suffix(              \
      ident_t *loc, kmp_int32 gtid, kmp_int32 *p_last, T *p_lb, T *p_ub,       \
      ST *p_st) {                                                              \
    if (!KMP_HOOK_USED)                                                        \
      return __kmp_plain_next_##suffix(loc, gtid, p_last, p_lb, p_ub, p_st);   \
    gimbal_share *share = __kmp_hook_share;                                    \
    if (__builtin_expect(share != nullptr, 1)) {                               \
      uint64_t first, end;                                                     \
      if (gimbal_share_next(share, &first, &end))                              \
        return __kmp_hook_bounds(share, first, end, p_last, p_lb, p_ub, p_st); \
      if (share->traced)                                                       \
        return __kmp_hook_traced_next_##suffix(loc, gtid, p_last, p_lb, p_ub,  \
                                               p_st);                          \
      __kmp_hook_share = nullptr;                                              \
    }                                                                          \
    return __kmp_plain_next_##suffix(loc, gtid, p_last, p_lb, p_ub, p_st);     \
  }

KMP_HOOK_NEXT(4, kmp_int32, kmp_int32)
KMP_HOOK_NEXT(4u, kmp_uint32, kmp_int32)
KMP_HOOK_NEXT(8, kmp_int64, kmp_int64)
KMP_HOOK_NEXT(8u, kmp_uint64, kmp_int64)

// Here all that it needs of kmp_dispatch.cpp is known.
#include "kmp_schedule_hook_cancel.h"
