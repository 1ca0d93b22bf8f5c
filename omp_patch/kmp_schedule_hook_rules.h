// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_dispatch.cpp gains: dynamic and guided loops that the user has named
// for the hook, and runtime loops that it names whatever OMP_SCHEDULE says, or
// whose schedule was set in their region.

#ifndef KMP_SCHEDULE_HOOK_RULES_H
#define KMP_SCHEDULE_HOOK_RULES_H

static inline int __kmp_get_monotonicity(ident_t *loc, enum sched_type schedule,
                                         bool use_hier);

// Asks the hook about the loop that starts on this thread.
static int __kmp_hook_ask_rule(ident_t *loc, kmp_uint32 workers, bool runtime) {
  gimbal_loop_desc desc;
  memset(&desc, 0, sizeof(desc));
  desc.code = __kmp_hook_site;
  desc.source = loc ? loc->psource : nullptr;
  desc.workers = workers;
  desc.unit = runtime;
  return __kmp_hook.gimbal_loop_named(&desc);
}

// What a loop runs by, in one word with its number in the region. All schedules
// are below 64, the modifiers are bits 29 and 30; 24 bits tell a loop from the
// last one in its buffer.
static kmp_uint64 __kmp_hook_pack(kmp_uint32 loop, kmp_r_sched_t found) {
  kmp_uint64 kind = (found.r_sched_type & 63) | found.r_sched_type >> 29 << 6;
  return (kmp_uint64)loop << 40 | kind << 32 | (kmp_uint32)found.chunk;
}
static kmp_r_sched_t __kmp_hook_unpack(kmp_uint64 packed) {
  kmp_uint32 kind = packed >> 32 & 255;
  kmp_r_sched_t found;
  found.r_sched_type = (enum sched_type)((kind & 63) | kind >> 6 << 29);
  found.chunk = (int)(kmp_uint32)packed;
  return found;
}

// The schedule that was set in this region for the next loop of this thread.
// `loop` is its number. Threads of a region from before the first such schedule
// may have begun loops without a look, by the team's; so do all others then.
static kmp_r_sched_t __kmp_hook_set_here(kmp_info_t *th, kmp_uint32 loop) {
  kmp_team_t *team = th->th.th_team;
  const struct kmp_hook_first_set *first = &__kmp_hook_first_set;
  if (!team->t.t_serialized && !team->t.t_hook_looked &&
      (!__atomic_load_n(&first->known, __ATOMIC_ACQUIRE) ||
       first->team != team || loop <= first->loops))
    return team->t.t_sched;
  return th->th.th_current_task->td_icvs.sched;
}

// A rule's schedule, where threads set schedules in regions: its number (there
// are 2^18) and, above it, the chunk that was set for this loop; the modifiers
// are those. A larger chunk is kept, and the rule is not followed.
enum {
  kmp_hook_number_bits = 19,
  kmp_hook_number_mask = (1 << kmp_hook_number_bits) - 1
};
static inline kmp_uint32 __kmp_hook_promised_chunk(kmp_r_sched_t set) {
  bool own = SCHEDULE_WITHOUT_MODIFIERS(set.r_sched_type) == kmp_sch_hook;
  return own || set.chunk < 1 ? 1 : (kmp_uint32)set.chunk;
}
static kmp_r_sched_t __kmp_hook_keep_chunk(int rule, kmp_r_sched_t set) {
  const kmp_uint32 chunk = __kmp_hook_promised_chunk(set);
  if (chunk >> (32 - kmp_hook_number_bits))
    return set;
  kmp_r_sched_t found;
  found.r_sched_type = (enum sched_type)(
      set.r_sched_type &
      (kmp_sch_modifier_monotonic | kmp_sch_modifier_nonmonotonic));
  found.chunk = (int)(chunk << kmp_hook_number_bits | (kmp_uint32)rule);
  return found;
}

// What the loop that starts on this thread runs by: no kind and the schedule of
// the name that it has, or 0 as libomp finds; else what was set in this region.
static kmp_r_sched_t __kmp_hook_ask(ident_t *loc, kmp_info_t *th, bool runtime,
                                    kmp_uint32 loop) {
  kmp_r_sched_t found = {};
  if (__kmp_hook_rules)
    found.chunk = __kmp_hook_ask_rule(
        loc, th->th.th_team->t.t_serialized ? 1 : th->th.th_team_nproc,
        runtime);
  if (runtime && (__kmp_hook_looks & KMP_HOOK_SET_IN_REGION)) {
    const kmp_r_sched_t set = __kmp_hook_set_here(th, loop);
    return found.chunk == 0 ? set : __kmp_hook_keep_chunk(found.chunk, set);
  }
  return found;
}

// The same for all of a team. The first thread to come asks, and all others do
// as it did: compilers may duplicate a loop, so that the threads of a team come
// from different addresses, and not all of them may have set a schedule; half of
// a team in libomp's loop and half in the hook's would run iterations twice or
// never.
static kmp_r_sched_t __kmp_hook_team_found(ident_t *loc, kmp_info_t *th,
                                           bool runtime) {
  std::atomic_thread_fence(std::memory_order_acquire); // see __kmp_hook_open()
  kmp_team_t *team = th->th.th_team;
  if (team->t.t_serialized)
    return __kmp_hook_ask(loc, th, runtime, 0);
  kmp_uint32 loop = th->th.th_dispatch->th_disp_index;
  std::atomic<kmp_uint64> *slot =
      &team->t.t_disp_buffer[(loop - 1) % __kmp_dispatch_num_buffers].hook_rule;
  kmp_uint64 seen = slot->load(std::memory_order_acquire);
  if (seen >> 40 == (loop & 0xffffff))
    return __kmp_hook_unpack(seen);
  kmp_uint64 own =
      __kmp_hook_pack(loop, __kmp_hook_ask(loc, th, runtime, loop));
  // Release what a name stands for; partner: the acquire load above.
  if (slot->compare_exchange_strong(seen, own, std::memory_order_acq_rel))
    seen = own;
  return __kmp_hook_unpack(seen);
}

// Whether libomp would promise ascending chunks of a dynamic or guided loop, as
// for code from before OpenMP 5.0 that has no modifier. Of GNU code it believes
// that always; there, the entry points tell (kmp_hook_monotonic).
static inline bool __kmp_hook_promised(ident_t *loc, int monotonicity) {
  bool gnu = loc != nullptr && loc->psource == __kmp_hook_gnu_source;
  return monotonicity == SCHEDULE_MONOTONIC && (!gnu || __kmp_force_monotonic);
}

// A runtime loop that a rule names. Programs rely on where chunks begin, so the
// hook keeps together what an OpenMP schedule in force gives them; and all of a
// team find the same, whatever they have set: half of it in one execution and
// half in another would run iterations twice.
static void __kmp_hook_by_rule(kmp_info_t *th, kmp_r_sched_t found,
                               kmp_int64 width, kmp_hook_wish *wish) {
  const kmp_uint32 rule = (kmp_uint32)found.chunk & kmp_hook_number_mask;
  kmp_int64 chunk = (kmp_uint32)found.chunk >> kmp_hook_number_bits;
  if (chunk == 0) { // who came first knew of none that was set in a region
    kmp_team_t *team = th->th.th_team;
    found = team->t.t_serialized ? th->th.th_current_task->td_icvs.sched
                                 : team->t.t_sched;
    chunk = __kmp_hook_promised_chunk(found);
  }
  wish->schedule = (int)rule;
  wish->unit = width > 1 ? width * chunk : chunk;
  wish->monotonic |= SCHEDULE_HAS_MONOTONIC(found.r_sched_type);
}

// The first loop that is not static: what the report says where Gimbal ran none.
static void __kmp_hook_see_first(bool runtime) {
  __atomic_fetch_and(&__kmp_hook_looks, ~KMP_HOOK_FIRST_LOOP, __ATOMIC_RELAXED);
  __kmp_hook_see(runtime ? GIMBAL_OPENMP_RUNTIME_LOOPS
                         : GIMBAL_OPENMP_DYNAMIC_LOOPS);
}

// A runtime loop by a schedule that was set in its region, as libomp finds the
// team's: the schedule, the chunk, and whether chunks ascend.
static enum sched_type __kmp_hook_by_set(ident_t *loc, kmp_r_sched_t set,
                                         bool simd, bool ordered,
                                         kmp_int64 *chunk, int *monotonicity,
                                         kmp_hook_wish *wish) {
  kmp_int64 width = simd ? *chunk : 1;
  enum sched_type schedule = SCHEDULE_WITHOUT_MODIFIERS(set.r_sched_type);
  if (schedule == kmp_sch_hook) {
    wish->schedule = set.chunk;
    wish->unit = width;
    wish->monotonic |= SCHEDULE_HAS_MONOTONIC(set.r_sched_type);
    return schedule;
  }
  if (simd) {
    *monotonicity = SCHEDULE_MONOTONIC; // libomp takes no static_steal there
    if (schedule == kmp_sch_static || schedule == kmp_sch_auto ||
        schedule == __kmp_static)
      return kmp_sch_static_balanced_chunked;
    if (schedule == kmp_sch_guided_chunked || schedule == __kmp_guided)
      schedule = kmp_sch_guided_simd;
  } else if (!ordered) {
    *monotonicity = __kmp_get_monotonicity(loc, set.r_sched_type, false);
  }
  *chunk = width * set.chunk;
  return schedule;
}

// The schedule of a loop, without modifiers and ordered bit: the hook's if a
// rule names the loop; what was set in the region of a runtime loop; otherwise as
// it was. Static loops are not asked about.
static __attribute__((noinline)) enum sched_type
__kmp_hook_named(ident_t *loc, kmp_info_t *th, enum sched_type schedule,
                 kmp_int64 *chunk, bool ordered, int *monotonicity,
                 kmp_hook_wish *wish) {
  bool simd = schedule == kmp_sch_runtime_simd;
  bool runtime = simd || schedule == kmp_sch_runtime;
  if (schedule != kmp_sch_dynamic_chunked &&
      schedule != kmp_sch_guided_chunked && !runtime)
    return schedule;
  if (__kmp_hook_looks & KMP_HOOK_FIRST_LOOP)
    __kmp_hook_see_first(runtime);
  if (!(runtime ? KMP_HOOK_LOOKS_ALWAYS : __kmp_hook_rules))
    return schedule;
  kmp_r_sched_t found = __kmp_hook_team_found(loc, th, runtime);
  if (SCHEDULE_WITHOUT_MODIFIERS(found.r_sched_type) != 0)
    return __kmp_hook_by_set(loc, found, simd, ordered, chunk, monotonicity,
                             wish);
  if (found.chunk == 0)
    return schedule;
  if (runtime) {
    __kmp_hook_by_rule(th, found, simd ? *chunk : 1, wish);
    return kmp_sch_hook;
  }
  wish->schedule = found.chunk;
  wish->unit = *chunk;
  wish->monotonic |= __kmp_hook_promised(loc, *monotonicity);
  return kmp_sch_hook;
}

// The same, for the types of a loop.
template <typename T, typename ST>
static inline enum sched_type
__kmp_hook_look(ident_t *loc, kmp_info_t *th,
                const dispatch_private_info_template<T> *pr,
                enum sched_type schedule, ST *chunk, int *monotonicity,
                kmp_hook_wish *wish) {
  if (pr->flags.nomerge)
    return schedule;
  kmp_int64 wide = *chunk;
  schedule = __kmp_hook_named(loc, th, schedule, &wide, pr->flags.ordered,
                              monotonicity, wish);
  *chunk = (ST)wide;
  return schedule;
}

#endif // KMP_SCHEDULE_HOOK_RULES_H
