// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_dispatch.cpp gains for constructs that are cancelled. libomp 19 does
// not count a thread that leaves a loop, or sections, by a cancellation: if some
// left so and others found nothing more, the team's buffer keeps a count, and a
// later loop in it is over too soon, or never.

#ifndef KMP_SCHEDULE_HOOK_CANCEL_H
#define KMP_SCHEDULE_HOOK_CANCEL_H

extern "C++" { // where this is included C's linkage holds

// Nobody steals from this loop of a thread any more.
static void __kmp_hook_end_stealing(dispatch_private_info_t *own) {
  if (own->steal_flag.load(std::memory_order_relaxed) == UNUSED)
    return;
  own->steal_flag.store(UNUSED, std::memory_order_relaxed);
  if (own->type_size != 8 || own->u.p64.steal_lock == nullptr)
    return;
  __kmp_destroy_lock(own->u.p64.steal_lock);
  __kmp_free(own->u.p64.steal_lock);
  own->u.p64.steal_lock = nullptr;
}

// A loop that nobody is in any more gives its buffer of the team to the next.
static void __kmp_hook_free_buffer(kmp_team_t *team, dispatch_shared_info_t *sh,
                                   enum sched_type schedule) {
  if (schedule == kmp_sch_static_steal) {
    kmp_intptr_t buffer = sh - team->t.t_disp_buffer;
    for (int i = 0; i < team->t.t_nproc; ++i)
      __kmp_hook_end_stealing(&team->t.t_dispatch[i].th_disp_buffer[buffer]);
  }
  memset((void *)&sh->u, 0, sizeof(sh->u));
  KMP_MB();
  sh->buffer_index += __kmp_dispatch_num_buffers;
  KMP_MB();
}

// What threads that missed a loop left in the team's buffer.
static void __kmp_hook_drop(dispatch_shared_info_t *sh) {
  void *left = sh->hook_execution.load(std::memory_order_relaxed);
  if (left != nullptr && !__kmp_hook_is_number(left)) {
    __kmp_hook.gimbal_loop_drop(left);
    sh->hook_execution.store(nullptr, std::memory_order_relaxed);
  }
}

// A region was cancelled. Its team has the count that then was in force.
static void __kmp_hook_note_cancelled(kmp_team_t *team) {
  int count = 0;
  if (__atomic_compare_exchange_n(&__kmp_hook_cancelled, &count, 1, 0,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    count = 1;
  __atomic_store_n(&team->t.t_hook_cancelled, count, __ATOMIC_RELAXED);
}

// See kmp_schedule_hook.h.
void __kmp_hook_leave(kmp_info_t *th, kmp_int32 kind) {
  kmp_team_t *team = th->th.th_team;
  if (kind == cancel_parallel && !team->t.t_serialized)
    __kmp_hook_leave_region(th, th->th.th_info.ds.ds_tid, team);
  if (team->t.t_cancel_request == cancel_parallel)
    __kmp_hook_note_cancelled(team);
  kmp_disp_t *disp = th->th.th_dispatch;
  bool active = !team->t.t_serialized;
  dispatch_private_info_t *pr =
      active ? disp->th_dispatch_pr_current : disp->th_disp_buffer;
  // Sections of other compilers than clang and gcc have none of the thread's.
  enum sched_type schedule = pr ? pr->schedule : kmp_sch_dynamic_chunked;
  if (pr != nullptr && schedule == kmp_sch_hook && pr->hook.execution) {
    __kmp_hook_share = nullptr;
    if (!active)
      __kmp_hook.gimbal_loop_end(&pr->hook);
    else
      __kmp_hook.gimbal_loop_leave(&pr->hook);
  }
  dispatch_shared_info_t *sh =
      (dispatch_shared_info_t *)disp->th_dispatch_sh_current;
  if (!active || sh == nullptr)
    return;
  if (schedule == kmp_sch_static_steal)
    pr->steal_flag.store(THIEF, std::memory_order_release);
  bool wide = pr != nullptr && pr->type_size == 8;
  kmp_int64 done =
      wide
          ? test_then_inc<kmp_int64>((volatile kmp_int64 *)&sh->u.s64.num_done)
          : test_then_inc<kmp_int32>((volatile kmp_int32 *)&sh->u.s32.num_done);
  if (done == th->th.th_team_nproc - 1) {
    if (pr != nullptr)
      __kmp_hook_close(schedule, pr->hook, &sh->hook_execution);
    __kmp_hook_free_buffer(team, sh, schedule);
  }
  disp->th_deo_fcn = NULL;
  disp->th_dxo_fcn = NULL;
  disp->th_dispatch_sh_current = NULL;
  disp->th_dispatch_pr_current = NULL;
}

// See kmp_schedule_hook.h.
kmp_int32 __kmp_hook_cancel(kmp_info_t *th, kmp_int32 kind, kmp_int32 old) {
  kmp_team_t *team = th->th.th_team;
  // Who cancels the region cancels the loop that others have cancelled, too.
  if (old != cancel_noreq && kind == cancel_parallel)
    team->t.t_cancel_request = kind;
  __kmp_hook_leave(th, kind);
  // Barriers clear what a team of several has been asked for; a team of one has
  // none, and this thread alone was to know.
  if (team->t.t_serialized)
    team->t.t_cancel_request = cancel_noreq;
  return kind;
}

// See kmp_schedule_hook_dispatch.h. Once all others have ended the loop in the
// buffer, as this thread has, or have left the region before it, it is free.
void __kmp_hook_pass_cancelled(kmp_uint32 index) {
  kmp_info_t *th = __kmp_threads[__kmp_get_gtid()];
  kmp_team_t *team = th->th.th_team;
  kmp_uint32 buffers = (kmp_uint32)__kmp_dispatch_num_buffers;
  if (!__atomic_load_n(&team->t.t_hook_cancelled, __ATOMIC_RELAXED) ||
      index < buffers)
    return;
  dispatch_shared_info_t *sh = &team->t.t_disp_buffer[index % buffers];
  dispatch_private_info_t *own =
      &th->th.th_dispatch->th_disp_buffer[index % buffers];
  kmp_int32 missing = 0;
  for (int i = 0; i < team->t.t_nproc; ++i)
    missing += __kmp_hook_left_before(team, i, index - buffers);
  if (missing == 0 || sh->buffer_index != index - buffers)
    return;
  // Who takes the count frees the buffer. While this thread waits, no later loop
  // in it can have that count.
  const kmp_int32 ended = team->t.t_nproc - missing;
  if (own->type_size == 8
          ? !compare_and_swap<kmp_int64>(&sh->u.s64.num_done, ended, -1)
          : !compare_and_swap<kmp_int32>(&sh->u.s32.num_done, ended, -1))
    return;
  __kmp_hook_drop(sh);
  __kmp_hook_free_buffer(team, sh, own->schedule);
}

// What a doacross loop left that not all threads began: which iterations are
// done, in memory of the thread that began it first.
static void __kmp_hook_drop_doacross(dispatch_shared_info_t *sh,
                                     kmp_info_t *frees) {
  void *flags = CCAST(kmp_uint32 *, sh->doacross_flags);
  sh->doacross_flags = nullptr;
  sh->doacross_num_done = 0;
  if (frees != nullptr && flags != nullptr)
    __kmp_thread_free(frees, flags);
}

// The last region was cancelled, so threads may have missed loops: what these
// left in the buffers of the team and of its threads goes. Where loops alone are
// cancelled all threads count, and nothing is left. The team forgets the request,
// too: libomp 19 does not where the region was one of a `teams` construct's.
void __kmp_hook_forget_cancelled(kmp_team_t *team, kmp_info_t *primary) {
  // Who has memory here may have ended with its root; it is not given back then.
  kmp_info_t *frees =
      team->t.t_hook_cancelled ==
              __atomic_load_n(&__kmp_hook_cancelled, __ATOMIC_RELAXED)
          ? primary
          : nullptr;
  team->t.t_hook_cancelled = 0;
  team->t.t_cancel_request = cancel_noreq;
  for (int i = 0; i < __kmp_dispatch_num_buffers; ++i) {
    dispatch_shared_info_t *sh = &team->t.t_disp_buffer[i];
    memset((void *)&sh->u, 0, sizeof(sh->u));
    __kmp_hook_drop(sh);
    __kmp_hook_drop_doacross(sh, frees);
  }
  for (int i = 0; i < team->t.t_max_nproc; ++i) {
    dispatch_private_info_t *own = team->t.t_dispatch[i].th_disp_buffer;
    for (int k = 0; own != nullptr && k < __kmp_dispatch_num_buffers; ++k)
      __kmp_hook_end_stealing(&own[k]);
  }
}

} // extern "C++"

// Barriers of clang's code in a region that may be cancelled. libomp 19 has all
// threads meet there once more, and goes by what has been asked for when each of
// them leaves: one that is late takes the request of one that is further for this
// barrier's, and who has left the region waits for those that come to no barrier
// any more. Here who has left meets nobody, as in GNU code, and those who wait go.
#undef __kmpc_cancel_barrier
kmp_int32 __kmpc_cancel_barrier(ident_t *loc, kmp_int32 gtid) {
  kmp_info_t *th = __kmp_threads[gtid];
  kmp_team_t *team = th->th.th_team;
  if (!__kmp_omp_cancellation || team->t.t_serialized) {
    __kmpc_barrier(loc, gtid);
    return 0;
  }
  if (team->t.t_cancel_request == cancel_parallel &&
      th->th.th_dispatch->th_disp_index >> 31 != 0) // __kmp_hook_leave_region()
    return 1;
  th->th.th_ident = loc;
  if (__kmp_hook_barrier != nullptr)
    __kmp_hook_barrier(GIMBAL_BARRIER_REACHED);
  const int cancelled = __kmp_barrier_gomp_cancel(gtid);
  if (__kmp_hook_barrier != nullptr)
    __kmp_hook_barrier(GIMBAL_BARRIER_LEFT);
  return cancelled;
}

#endif // KMP_SCHEDULE_HOOK_CANCEL_H
