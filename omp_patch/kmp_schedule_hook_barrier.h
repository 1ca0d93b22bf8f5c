// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_barrier.cpp gains: a thread that waits for its team lends its core
// to a thread of the team that has none (gimbal/core_loan.h). The primary looks
// after everybody before it gathers; the next thread looks after the primary
// once it has arrived. The others only say that they have come.

#ifndef KMP_SCHEDULE_HOOK_BARRIER_H
#define KMP_SCHEDULE_HOOK_BARRIER_H

// Of the team of the thread `host`, the primary.
static gimbal_waiter *__kmp_hook_member(const void *host, uint32_t tid) {
  const kmp_team_t *team = ((const kmp_info_t *)host)->th.th_team;
  return team->t.t_threads[tid]->th.hook_waiter;
}

// Threads that wait in libomp's own barrier run tasks and notice cancellation.
static int __kmp_hook_tasks(const void *host) {
  const kmp_task_team_t *tasks = ((const kmp_info_t *)host)->th.th_task_team;
  return tasks != NULL && TCR_4(tasks->tt.tt_found_tasks);
}

static int __kmp_hook_wanted(const void *host) {
  const kmp_team_t *team = ((const kmp_info_t *)host)->th.th_team;
  return KMP_ATOMIC_LD_RLX(&team->t.t_cancel_request) != cancel_noreq ||
         __kmp_hook_tasks(host);
}

// For the thread that looks after the primary.
static gimbal_waiter *__kmp_hook_first(const void *host, uint32_t) {
  return ((const kmp_info_t *)host)->th.hook_waiter->first;
}

// As KMP_OVERSUBSCRIBED, with threads of no team that have not gone to sleep
// yet: those of a nested team spin on after its region.
static inline bool __kmp_hook_oversubscribed() {
  return TCR_4(__kmp_nth) + KMP_ATOMIC_LD_RLX(&__kmp_thread_pool_active_nth) >
         (__kmp_avail_proc ? __kmp_avail_proc : __kmp_xproc);
}

// Where threads outnumber cores nobody has one to lend. Who is to sleep at once
// is not to look after others. Other patterns release by other words.
static inline bool __kmp_hook_may_lend(const kmp_info_t *th,
                                       enum barrier_type bt) {
  int gather = __kmp_barrier_gather_pattern[bt];
  int release = __kmp_barrier_release_pattern[bt];
  __kmp_hook_own_patterns(bt, &gather, &release);
  return !__kmp_hook_oversubscribed() && __kmp_dflt_blocktime != 0 &&
         th->th.th_team_nproc <= __kmp_hook_spinning && __kmp_hook_lending &&
         gather == bp_hyper_bar && release == bp_hyper_bar;
}

static inline kmp_uint64 __kmp_hook_limit_us() {
  return (kmp_uint64)KMP_MIN(__kmp_dflt_blocktime, 1000000);
}

// A thread sleeps at once if it has no core of its own, and all of a team do
// that has more threads than the rank has cores.
static inline void __kmp_hook_sleep_soon(kmp_info_t *th, kmp_team_t *team,
                                         int tid) {
  if (__builtin_expect(team->t.t_nproc <= __kmp_hook_spinning, 1))
    return;
  kmp_uint64 own = team->t.t_disp_buffer[0].hook_own;
  if (__kmp_hook_elastic == 0 || (own != 0 && tid >= (int)own))
    th->th.th_team_bt_intervals = 0;
}

// Mostly the others are as good as there. So the primary first waits for a
// moment where libomp will wait next, and no other cache line travels.
static bool __kmp_hook_all_come(kmp_team_t *team, kmp_uint32 size,
                                enum barrier_type bt) {
  const kmp_uint64 come = team->t.t_bar[bt].b_arrived + KMP_BARRIER_STATE_BUMP;
  const kmp_uint32 bits = __kmp_barrier_gather_branch_bits[bt];
  int rests = 100;
  for (kmp_uint32 level = 0; ((size - 1) >> level) != 0; level += bits) {
    kmp_uint32 child = 1u << level;
    for (kmp_uint32 i = 1; i < 1u << bits && child < size; ++i) {
      const kmp_bstate_t *bar = &team->t.t_threads[child]->th.th_bar[bt].bb;
      for (; TCR_8(bar->b_arrived) != come; KMP_CPU_PAUSE())
        if (rests-- == 0)
          return false;
      child += 1u << level;
    }
  }
  return true;
}

// The primary looks after those who have not come.
static __attribute__((noinline)) void
__kmp_hook_look_after(kmp_info_t *th, kmp_team_t *team, gimbal_waiter *self,
                      kmp_uint64 name, enum barrier_type bt) {
  if (!__kmp_hook_may_lend(th, bt) ||
      __kmp_hook_all_come(team, (kmp_uint32)th->th.th_team_nproc, bt))
    return;
  const gimbal_meeting meeting = {name,
                                  __kmp_hook_limit_us(),
                                  (kmp_uint32)th->th.th_team_nproc,
                                  {NULL, 0},
                                  th,
                                  __kmp_hook_member,
                                  __kmp_hook_wanted};
  __kmp_hook.gimbal_wait_for(self, &meeting);
}

static inline void __kmp_hook_reach_used(kmp_info_t *th, kmp_team_t *team,
                                         int tid, enum barrier_type bt) {
  if (__kmp_hook_barrier != nullptr)
    __kmp_hook_barrier(bt == bs_forkjoin_barrier ? GIMBAL_BARRIER_REGION_ENDS
                                                 : GIMBAL_BARRIER_REACHED);
  __kmp_hook_sleep_soon(th, team, tid);
  gimbal_waiter *self = th->th.hook_waiter;
  if (self == nullptr)
    return;
  // A team's barriers of one type count up in steps that leave low bits free. A
  // worker's own count is the same, and on no line that the primary writes.
  const kmp_uint64 before = KMP_MASTER_TID(tid)
                                ? team->t.t_bar[bt].b_arrived
                                : th->th.th_bar[bt].bb.b_arrived;
  kmp_uint64 name = ((before + KMP_BARRIER_STATE_BUMP) | bt) ^
                    (kmp_uint64)(kmp_uintptr_t)team;
  // Also where the primary is not due: the next thread is, if it alone ran a
  // loop in a team of one.
  if (KMP_MASTER_TID(tid) && __kmp_hook_lending)
    gimbal_waiter_reach_first(self, name);
  else
    gimbal_waiter_reach(self, name);
  if (!self->due)
    return;
  if (tid == 1) // the team is not to be looked at once this thread has arrived
    self->first = th->th.th_team_master->th.hook_waiter;
  if (KMP_MASTER_TID(tid))
    __kmp_hook_look_after(th, team, self, name, bt);
}

// Before a thread is counted at a barrier.
static inline void __kmp_hook_reach(kmp_info_t *th, kmp_team_t *team, int tid,
                                    enum barrier_type bt) {
  if (KMP_HOOK_USED)
    __kmp_hook_reach_used(th, team, tid, bt);
}

// A thread with something to do before it waits to be released.
static __attribute__((noinline)) void
__kmp_hook_arrived_due(kmp_info_t *th, gimbal_waiter *self, int tid,
                       enum barrier_type bt) {
  gimbal_release release = {NULL, KMP_BARRIER_STATE_BUMP};
  if (!KMP_MASTER_TID(tid))
    release.word = (const volatile uint64_t *)&th->th.th_bar[bt].bb.b_go;
  if (self->due && tid == 1 && self->first && __kmp_hook_may_lend(th, bt)) {
    const gimbal_meeting meeting = {
        self->meeting,    __kmp_hook_limit_us(), 1, release, th,
        __kmp_hook_first, __kmp_hook_tasks};
    __kmp_hook.gimbal_wait_for(self, &meeting);
  }
  self->due = 0;
  if (self->borrowed || self->lent)
    __kmp_hook.gimbal_waiter_arrived(self, &release);
}

// Before it waits to be released; the team may be gone.
static inline void __kmp_hook_arrived_used(kmp_info_t *th, int tid,
                                           enum barrier_type bt) {
  gimbal_waiter *self = th->th.hook_waiter;
  if (self != nullptr && (self->due || self->borrowed || self->lent))
    __kmp_hook_arrived_due(th, self, tid, bt);
}

static inline void __kmp_hook_left_used() {
  if (__kmp_hook_barrier != nullptr)
    __kmp_hook_barrier(GIMBAL_BARRIER_LEFT);
}

// When it goes on.
static inline void __kmp_hook_left() {
  if (KMP_HOOK_USED)
    __kmp_hook_left_used();
}

// The same, where a barrier may be cancelled.
static inline void __kmp_hook_arrived(kmp_info_t *th, int tid,
                                      enum barrier_type bt) {
  if (KMP_HOOK_USED)
    __kmp_hook_arrived_used(th, tid, bt);
}

#endif // KMP_SCHEDULE_HOOK_BARRIER_H
