// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMP_SCHEDULE, omp_set_schedule() and omp_get_schedule() where the schedule is
// the hook's; schedules that threads set inside of a region, whosever they are.

#ifndef KMP_SCHEDULE_HOOK_SCHEDULE_H
#define KMP_SCHEDULE_HOOK_SCHEDULE_H

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

// OMP_SCHEDULE (NULL: not set). Returns true if the hook takes it. The first
// use of the hook: libomp reads its settings before all else.
static inline bool __kmp_hook_parse_schedule(const char *value) {
  if (!TCR_4(__kmp_init_serial)) {
    __kmp_hook_undo_libgomp(FALSE);
    // libgomp makes smaller teams without a word.
    if (__kmp_hook_beside_libgomp)
      __kmp_reserve_warn = 1;
    // libomp 19 keeps what it has freed in omp_pause_resource_all().
    __kmp_old_threads_list = NULL;
  }
  __kmp_hook_see(GIMBAL_OPENMP_ASKED);
  if (!gimbal_schedule_hook_ready())
    return false;
  __kmp_hook_rules = __kmp_hook.gimbal_loop_rules();
  if (__kmp_hook_rules)
    __atomic_fetch_or(&__kmp_hook_looks, KMP_HOOK_NAMED_LOOPS,
                      __ATOMIC_RELAXED);
  __kmp_hook_elastic = __kmp_hook.gimbal_elastic_threads();
  __kmp_hook_lending = __kmp_hook_elastic == 0 && __kmp_hook.gimbal_lending();
  __kmp_hook_spinning = __kmp_hook_elastic;
  if (__kmp_hook_elastic == 0)
    __kmp_hook_spinning =
        (int)KMP_MIN(__kmp_hook.gimbal_spinning_threads(), (uint32_t)INT_MAX);
  __kmp_hook_may_spin = __kmp_hook_spinning;
  int schedule = __kmp_hook.gimbal_schedule_parse(value);
  if (schedule == GIMBAL_SCHEDULE_REFUSED) // said already; libomp's default
    return true;
  if (schedule <= 0)
    return false;
  static const int modifier[3] = {0, kmp_sch_modifier_monotonic,
                                  kmp_sch_modifier_nonmonotonic};
  __kmp_sched = (enum sched_type)(
      kmp_sch_hook | modifier[__kmp_hook.gimbal_schedule_modifier(schedule)]);
  __kmp_chunk = schedule;
  return true;
}

// OMP_DISPLAY_ENV. Returns true if the schedule in force is the hook's.
static inline bool __kmp_hook_print_schedule(kmp_str_buf_t *buffer) {
  if (SCHEDULE_WITHOUT_MODIFIERS(__kmp_sched) != kmp_sch_hook)
    return false;
  char text[GIMBAL_SCHEDULE_BYTES];
  __kmp_hook.gimbal_schedule_print(__kmp_chunk, text, sizeof(text));
  __kmp_str_buf_print(buffer, "%s'\n", text);
  return true;
}

// A thread has left a region: its number of loops (16 bits), below a stamp of
// that region (15 bits: the barriers at the ends of the team's regions so far)
// and a bit that says so. Workers count these barriers in lines of their own.
static inline kmp_uint32 __kmp_hook_stamp(kmp_uint64 barriers) {
  return 1u << 31 | (kmp_uint32)(barriers >> KMP_BARRIER_BUMP_BIT & 0x7fff)
                        << 16;
}
static inline void __kmp_hook_leave_region(kmp_info_t *th, int tid,
                                           kmp_team_t *team) {
  kmp_uint64 barriers =
      KMP_MASTER_TID(tid) ? team->t.t_bar[bs_forkjoin_barrier].b_arrived
                          : th->th.th_bar[bs_forkjoin_barrier].bb.b_arrived;
  kmp_disp_t *dispatch = th->th.th_dispatch;
  if (dispatch->th_disp_index >> 31) // by cancellation
    return;
  kmp_uint32 loops = KMP_MIN(dispatch->th_disp_index, 0xffffu);
  __atomic_store_n(&dispatch->th_disp_index,
                   __kmp_hook_stamp(barriers) | loops, __ATOMIC_RELAXED);
}

// Whether a thread has left the region that its team is in, and never began the
// loop of this number: it was cancelled.
static inline bool __kmp_hook_left_before(kmp_team_t *team, int tid,
                                          kmp_uint32 loop) {
  kmp_uint32 seen = __atomic_load_n(&team->t.t_dispatch[tid].th_disp_index,
                                    __ATOMIC_RELAXED);
  return (seen & ~0xffffu) ==
             __kmp_hook_stamp(team->t.t_bar[bs_forkjoin_barrier].b_arrived) &&
         (seen & 0xffffu) <= loop && (seen & 0xffffu) != 0xffffu;
}

// How many loops a thread has begun in the region that its team is in.
static inline kmp_uint32 __kmp_hook_loops(kmp_team_t *team, int tid) {
  kmp_uint32 stamp =
      __kmp_hook_stamp(team->t.t_bar[bs_forkjoin_barrier].b_arrived);
  kmp_uint32 seen = __atomic_load_n(&team->t.t_dispatch[tid].th_disp_index,
                                    __ATOMIC_RELAXED);
  if (seen >> 31 == 0)
    return seen;
  if ((seen & ~0xffffu) != stamp) // has not come yet
    return 0;
  return (seen & 0xffffu) == 0xffffu ? ~0u : seen & 0xffffu;
}

// The first thread that sets a schedule in a region of several: from here on
// runtime loops go by what their threads have set. Threads of this team may have
// begun loops without a look: loops up to the last of those stay as they were.
static __attribute__((noinline)) void __kmp_hook_begin_set(kmp_team_t *team) {
  __kmp_acquire_bootstrap_lock(&__kmp_initz_lock); // a child of fork() frees it
  if (!__kmp_hook_first_set.known) {
    __atomic_fetch_or(&__kmp_hook_looks, KMP_HOOK_SET_IN_REGION,
                      __ATOMIC_SEQ_CST);
    // All other threads see that, or have shown which loop they are in. Where
    // the system refuses, the region goes on as it was.
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
                0) != 0 ||
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
      __kmp_hook_first_set.loops = ~0u;
    for (int i = 0; i < team->t.t_nproc; ++i)
      __kmp_hook_first_set.loops = KMP_MAX(__kmp_hook_first_set.loops,
                                           __kmp_hook_loops(team, i));
    __kmp_hook_first_set.team = team;
    __atomic_store_n(&__kmp_hook_first_set.known, 1, __ATOMIC_RELEASE);
  }
  __kmp_release_bootstrap_lock(&__kmp_initz_lock);
}

// omp_set_schedule. Returns true if the kind is one of the hook's.
static inline bool __kmp_hook_set_schedule(int gtid, kmp_sched_t kind,
                                           int chunk) {
  kmp_team_t *team = __kmp_threads[gtid]->th.th_team;
  if (!team->t.t_serialized &&
      !__atomic_load_n(&__kmp_hook_first_set.known, __ATOMIC_ACQUIRE))
    __kmp_hook_begin_set(team);
  int schedule =
      __kmp_hook.gimbal_schedule_set(__kmp_sched_without_mods(kind), chunk);
  if (schedule <= 0)
    return false;
  kmp_info_t *th = __kmp_threads[gtid];
  __kmp_save_internal_controls(th);
  kmp_r_sched_t *icv = &th->th.th_current_task->td_icvs.sched;
  icv->r_sched_type = kmp_sch_hook;
  __kmp_sched_apply_mods_intkind(kind, &icv->r_sched_type);
  icv->chunk = schedule;
  return true;
}

// omp_get_schedule, for a loop schedule that is the hook's.
static inline void __kmp_hook_get_schedule(int gtid, kmp_sched_t *kind,
                                           int *chunk) {
  kmp_r_sched_t icv = __kmp_threads[gtid]->th.th_current_task->td_icvs.sched;
  *kind = (kmp_sched_t)__kmp_hook.gimbal_schedule_kind(icv.chunk, chunk);
  __kmp_sched_apply_mods_stdkind(kind, icv.r_sched_type);
}

#endif // KMP_SCHEDULE_HOOK_SCHEDULE_H
