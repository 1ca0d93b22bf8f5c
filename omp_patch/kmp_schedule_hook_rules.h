// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_dispatch.cpp gains: dynamic and guided loops that the user has named
// for the hook, and runtime loops that it names whatever OMP_SCHEDULE says.

#ifndef KMP_SCHEDULE_HOOK_RULES_H
#define KMP_SCHEDULE_HOOK_RULES_H

// Asks the hook about the loop that starts on this thread.
static int __kmp_hook_ask_rule(ident_t *loc, kmp_uint32 workers) {
  gimbal_loop_desc desc;
  memset(&desc, 0, sizeof(desc));
  desc.code = __kmp_hook_site;
  desc.source = loc ? loc->psource : nullptr;
  desc.workers = workers;
  return __kmp_hook.gimbal_loop_named(&desc);
}

// The rule for the loop that starts in this team; 0: none. The first thread to come
// asks, and all others do as it did: compilers may duplicate a loop, so that the
// threads of a team come from different addresses, and half of a team in
// libomp's loop and half in the hook's would run iterations twice or never.
static int __kmp_hook_team_rule(ident_t *loc, kmp_info_t *th) {
  kmp_team_t *team = th->th.th_team;
  if (team->t.t_serialized)
    return __kmp_hook_ask_rule(loc, 1);
  kmp_uint32 index = th->th.th_dispatch->th_disp_index; // of the next loop
  std::atomic<kmp_uint64> *slot =
      &team->t.t_disp_buffer[(index - 1) % __kmp_dispatch_num_buffers]
           .hook_rule;
  // Above, which loop of the region the answer is for; below, the answer.
  kmp_uint64 seen = slot->load(std::memory_order_acquire);
  if ((kmp_uint32)(seen >> 32) == index)
    return (int)(kmp_uint32)seen;
  kmp_uint64 own = (kmp_uint64)index << 32 |
                   (kmp_uint32)__kmp_hook_ask_rule(loc, th->th.th_team_nproc);
  // Release what the rule stands for; partner: the acquire load above.
  if (slot->compare_exchange_strong(seen, own, std::memory_order_acq_rel))
    seen = own;
  return (int)(kmp_uint32)seen;
}

// Whether libomp would promise ascending chunks of a dynamic or guided loop, as
// for code from before OpenMP 5.0 that has no modifier. Of GNU code it believes
// that always; there, the entry points tell (kmp_hook_monotonic).
static inline bool __kmp_hook_promised(ident_t *loc, int monotonicity) {
  bool gnu = loc != nullptr && loc->psource == __kmp_hook_gnu_source;
  return monotonicity == SCHEDULE_MONOTONIC && (!gnu || __kmp_force_monotonic);
}

// The chunk that the program gave the loop, by its clause or, for a runtime
// loop, by an OpenMP schedule in force: programs rely on where chunks begin, so
// the hook keeps it together whatever the rule names.
static inline kmp_int64 __kmp_hook_unit(kmp_info_t *th,
                                        enum sched_type schedule,
                                        kmp_int64 chunk) {
  if (schedule == kmp_sch_dynamic_chunked || schedule == kmp_sch_guided_chunked)
    return chunk;
  kmp_int64 width = schedule == kmp_sch_runtime_simd && chunk > 1 ? chunk : 1;
  kmp_r_sched_t icv = th->th.th_team->t.t_sched;
  bool own = SCHEDULE_WITHOUT_MODIFIERS(icv.r_sched_type) == kmp_sch_hook;
  return own || icv.chunk < 1 ? width : width * icv.chunk;
}

// The first loop that is not static: what the report says where Gimbal ran none.
static void __kmp_hook_see_first(bool runtime) {
  __kmp_hook_looks = __kmp_hook_rules ? KMP_HOOK_NAMED_LOOPS : 0;
  __kmp_hook_see(runtime ? GIMBAL_OPENMP_RUNTIME_LOOPS
                         : GIMBAL_OPENMP_DYNAMIC_LOOPS);
}

// The schedule of a loop, without modifiers and ordered bit: the hook's if a
// rule names the loop, otherwise as it was. Static loops are not asked about.
static __attribute__((noinline)) enum sched_type
__kmp_hook_named(ident_t *loc, kmp_info_t *th, enum sched_type schedule,
                 kmp_int64 chunk, int monotonicity, kmp_hook_wish *wish) {
  if (schedule != kmp_sch_dynamic_chunked &&
      schedule != kmp_sch_guided_chunked && schedule != kmp_sch_runtime &&
      schedule != kmp_sch_runtime_simd)
    return schedule;
  bool runtime =
      schedule == kmp_sch_runtime || schedule == kmp_sch_runtime_simd;
  if (__kmp_hook_looks & KMP_HOOK_FIRST_LOOP)
    __kmp_hook_see_first(runtime);
  if (!__kmp_hook_rules)
    return schedule;
  wish->rule = __kmp_hook_team_rule(loc, th);
  if (wish->rule == 0)
    return schedule;
  wish->unit = __kmp_hook_unit(th, schedule, chunk);
  if (runtime
          ? SCHEDULE_HAS_MONOTONIC(th->th.th_team->t.t_sched.r_sched_type) != 0
          : __kmp_hook_promised(loc, monotonicity))
    wish->monotonic = true;
  return kmp_sch_hook;
}

#endif // KMP_SCHEDULE_HOOK_RULES_H
