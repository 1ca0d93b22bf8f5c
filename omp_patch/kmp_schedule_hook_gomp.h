// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_gsupport.cpp gains: a mark on the loops of GNU code; the start of a
// downward loop over unsigned long long (GNU code passes the negative step as
// it is and a flag that says which way; libomp 19 negates the step and ignores
// the flag, so that such a loop runs no iteration at all); memory that the team
// shares for reduction(inscan) and lastprivate(conditional:), where libomp 19
// ends the program; and tasks with detach(), whose event libomp 19 never makes.

#ifndef KMP_SCHEDULE_HOOK_GOMP_H
#define KMP_SCHEDULE_HOOK_GOMP_H

// All tasks of GNU code are tied, which is allowed, and what libgomp makes of
// them. In libomp 19 a thread that waits in a tied task may take an untied one
// whose tied children nobody may take then.
#define KMP_GOMP_TASK_UNTIED_FLAG 0
#define KMP_HOOK_UNTIED 1u

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

#define KMP_HOOK_DOWNWARD(schedule)                                            \
  if (!up)                                                                     \
    return __kmp_hook_start_down(&loc, gtid, (schedule), lb, ub, str,          \
                                 chunk_sz, p_lb, p_ub);

// The memory of one construct. A thread is the primary one of at most one
// construct at a level, so each thread keeps one block for each level.
struct kmp_hook_block {
  kmp_hook_block *next;
  int level;
  size_t bytes;
  void *data;
};

static pthread_key_t __kmp_hook_blocks;
static pthread_once_t __kmp_hook_blocks_once = PTHREAD_ONCE_INIT;

static void __kmp_hook_free_blocks(void *first) {
  for (kmp_hook_block *block = (kmp_hook_block *)first; block;) {
    kmp_hook_block *next = block->next;
    free(block->data);
    free(block);
    block = next;
  }
}

static void __kmp_hook_make_blocks() {
  KMP_ASSERT(pthread_key_create(&__kmp_hook_blocks, __kmp_hook_free_blocks) ==
             0);
}

// Zeroed, and at least one byte. Of the calling thread's block at this level.
static void *__kmp_hook_zeroed(int level, size_t bytes) {
  pthread_once(&__kmp_hook_blocks_once, __kmp_hook_make_blocks);
  void *first = pthread_getspecific(__kmp_hook_blocks);
  kmp_hook_block *block = (kmp_hook_block *)first;
  while (block && block->level != level)
    block = block->next;
  if (!block) {
    block = (kmp_hook_block *)calloc(1, sizeof(kmp_hook_block));
    KMP_ASSERT(block);
    block->next = (kmp_hook_block *)first;
    block->level = level;
    pthread_setspecific(__kmp_hook_blocks, block);
  }
  if (!block->data || block->bytes < bytes) {
    free(block->data);
    block->bytes = bytes ? bytes : 1;
    block->data = malloc(block->bytes);
    KMP_ASSERT(block->data);
  }
  memset(block->data, 0, block->bytes);
  return block->data;
}

// GNU code passes the size in *mem, and finds the memory there. It is the
// program's until the construct ends on all threads, which the first barrier
// waits for; the last keeps the pointer until all have it. Returns nothing left
// to do.
static void **__kmp_hook_shared_memory(void **mem) {
  if (!mem)
    return nullptr;
  MKLOC(loc, "GOMP_loop_start");
  int gtid = __kmp_entry_gtid();
  kmp_team_t *team = __kmp_team_from_gtid(gtid);
  __kmpc_barrier(&loc, gtid);
  if (__kmp_tid_from_gtid(gtid) == 0)
    team->t.t_copypriv_data =
        __kmp_hook_zeroed(team->t.t_level, (size_t)(uintptr_t)*mem);
  __kmpc_barrier(&loc, gtid);
  *mem = team->t.t_copypriv_data;
  __kmpc_barrier(&loc, gtid);
  return nullptr;
}

#define KMP_HOOK_SITE_OF(mem)                                                  \
  mem = __kmp_hook_shared_memory(mem);                                         \
  KMP_HOOK_SITE()

// GNU code passes no chunk for a parallel runtime loop: its flags come where
// libomp expects that.
#define KMP_HOOK_NO_CHUNK_BEGIN(schedule)                                      \
  const bool hook_chunk =                                                      \
      SCHEDULE_WITHOUT_MODIFIERS(schedule) != kmp_sch_runtime;                 \
  const unsigned hook_flags = hook_chunk ? flags : (unsigned)chunk_sz;         \
  const long hook_chunk_sz = hook_chunk ? chunk_sz : 0;                        \
  {                                                                            \
    const unsigned flags = hook_flags;                                         \
    const long chunk_sz = hook_chunk_sz;
#define KMP_HOOK_NO_CHUNK_END }

// GNU code passes two arguments more than libomp 19 takes: a priority, and
// where the event of a task with detach() is wanted. The first of the data is
// that event, too. This is GOMP_task(); libomp's own is __kmp_hook_task().
enum { kmp_hook_task_detaches = 1 << 13 };

static void __kmp_hook_task(void (*func)(void *), void *data,
                            void (*copy_func)(void *, void *), long arg_size,
                            long arg_align, bool if_cond, unsigned gomp_flags,
                            void **depend, void **hook_event);

void KMP_EXPAND_NAME(KMP_API_NAME_GOMP_TASK)(void (*func)(void *), void *data,
                                             void (*copy_func)(void *, void *),
                                             long arg_size, long arg_align,
                                             bool if_cond, unsigned gomp_flags,
                                             void **depend, int priority,
                                             void **detach) {
  if (gomp_flags & kmp_hook_task_detaches) {
    MKLOC(loc, "GOMP_task");
    // Under if(0) its parent goes on when the event has come.
    if (!if_cond)
      __kmpc_taskgroup(&loc, __kmp_entry_gtid());
    __kmp_hook_task(func, data, copy_func, arg_size, arg_align, true,
                    gomp_flags, depend, detach);
    if (!if_cond)
      __kmpc_end_taskgroup(&loc, __kmp_entry_gtid());
  } else if (!if_cond && copy_func) {
    // libomp 19 hands over what is still to be copied.
    SimpleVLA<char, 1024> copy(arg_size + arg_align);
    const uintptr_t begin = (uintptr_t)(char *)copy + arg_align - 1;
    void *own = (void *)(begin - begin % arg_align);
    copy_func(own, data);
    __kmp_hook_task(func, own, nullptr, arg_size, arg_align, false, gomp_flags,
                    depend, nullptr);
  } else {
    __kmp_hook_task(func, data, copy_func, arg_size, arg_align, if_cond,
                    gomp_flags, depend, nullptr);
  }
}

static kmp_task_t *__kmp_hook_task_alloc(void **event, void *data, ident_t *loc,
                                         int gtid, kmp_tasking_flags_t *flags,
                                         size_t bytes, size_t shareds,
                                         kmp_routine_entry_t entry) {
  if (event)
    flags->detachable = TASK_DETACHABLE;
  kmp_task_t *task = __kmp_task_alloc(loc, gtid, flags, bytes, shareds, entry);
  if (event) {
    *event = __kmpc_task_allow_completion_event(loc, gtid, task);
    if (data)
      *(void **)data = *event;
  }
  return task;
}

// GOMP_scope_start(), which libomp 19 has not: libgomp_names.c exports it.
static void __kmp_GOMP_init_reductions(int gtid, uintptr_t *data, int is_ws);

extern "C" void __kmp_hook_scope_start(uintptr_t *reductions) {
  if (reductions)
    __kmp_GOMP_init_reductions(__kmp_entry_gtid(), reductions, 1);
}

// As many teams as num_teams() says, which OpenMP 5.1 has for the least, too.
// libgomp has one thread for all of them, libomp one for each: not for more of
// them than a process may well have.
#define __kmpc_push_num_teams(loc, gtid, teams, limit)                         \
  __kmpc_push_num_teams_51(loc, gtid, hook_teams(teams), hook_teams(teams),    \
                           limit)
static inline int hook_teams(unsigned teams) {
  const unsigned most = 1024;
  return (int)KMP_MIN(teams, most);
}

// Those of taskloop have none.
static void **const hook_event = nullptr;

#define __kmp_api_GOMP_task(...) __kmp_hook_task(__VA_ARGS__, void **hook_event)
#define __kmp_task_alloc(...)                                                  \
  __kmp_hook_task_alloc(hook_event, data, __VA_ARGS__)

#endif // KMP_SCHEDULE_HOOK_GOMP_H
