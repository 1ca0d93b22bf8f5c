// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_barrier.cpp gains: a thread that waits for its team lends its core to
// a thread of the team that has none (gimbal/core_loan.h).

#ifndef KMP_SCHEDULE_HOOK_BARRIER_H
#define KMP_SCHEDULE_HOOK_BARRIER_H

static gimbal_waiter *__kmp_hook_member(const void *team, uint32_t tid) {
  return &((const kmp_team_t *)team)->t.t_threads[tid]->th.hook_waiter;
}

// Threads that wait in libomp's own barrier run tasks and notice cancellation.
static int __kmp_hook_wanted(const void *team) {
  const kmp_team_t *t = (const kmp_team_t *)team;
  if (KMP_ATOMIC_LD_RLX(&t->t.t_cancel_request) != cancel_noreq)
    return 1;
  for (const kmp_task_team_t *tasks : t->t.t_task_team)
    if (tasks != NULL && TCR_4(tasks->tt.tt_found_tasks))
      return 1;
  return 0;
}

// Before a thread is counted at a barrier.
static inline void __kmp_hook_reach(kmp_info_t *th, kmp_team_t *team,
                                    enum barrier_type bt) {
  if (!__kmp_hook_lending)
    return;
  gimbal_waiter *self = &th->th.hook_waiter;
  // A team's barriers of one type count up in steps that leave low bits free.
  kmp_uint64 name =
      ((team->t.t_bar[bt].b_arrived + KMP_BARRIER_STATE_BUMP) | bt) ^
      (kmp_uint64)(kmp_uintptr_t)team;
  gimbal_waiter_reach(self, name);
  if (!self->due)
    return;
  self->due = 0;
  // Where threads outnumber cores nobody has one to lend. Who is to sleep at
  // once is not to look after others. Other patterns release by other words.
  if (KMP_OVERSUBSCRIBED || __kmp_dflt_blocktime == 0 ||
      __kmp_barrier_gather_pattern[bt] != bp_hyper_bar ||
      __kmp_barrier_release_pattern[bt] != bp_hyper_bar)
    return;
  const gimbal_meeting meeting = {
      team,
      name,
      (kmp_uint64)KMP_MIN(__kmp_dflt_blocktime, 1000000),
      (kmp_uint32)th->th.th_team_nproc,
      __kmp_hook_member,
      __kmp_hook_wanted};
  __kmp_hook()->wait_for_team(self, &meeting);
}

// Before it waits to be released; the team may be gone.
static inline void __kmp_hook_arrived(kmp_info_t *th, int tid,
                                      enum barrier_type bt) {
  gimbal_waiter *self = &th->th.hook_waiter;
  if (!self->borrowed && !self->lent)
    return;
  const volatile uint64_t *go = NULL;
  if (!KMP_MASTER_TID(tid))
    go = (const volatile uint64_t *)&th->th.th_bar[bt].bb.b_go;
  __kmp_hook()->arrived(self, go, KMP_BARRIER_STATE_BUMP);
}

#endif // KMP_SCHEDULE_HOOK_BARRIER_H
