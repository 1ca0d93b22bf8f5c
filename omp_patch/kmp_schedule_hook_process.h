// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libomp asks beside its loops: when it starts, yields, changes the size of
// its team, takes back a thread with tasks' memory, forks and ends.

#ifndef KMP_SCHEDULE_HOOK_PROCESS_H
#define KMP_SCHEDULE_HOOK_PROCESS_H

#include <pthread.h>
#include <unistd.h>

// Whether libomp has been through its start before: it ended, or this is a child
// of fork(). Such a child must not ask the loader for what its parent has found:
// another thread may have been at it.
static inline bool __kmp_hook_begins_again() {
  static bool begun = false;
  bool again = begun;
  begun = true;
  return again;
}

// Cores that threads share which outnumber them, if the user has not said how they
// are to wait; 0: each has one.
static inline int __kmp_hook_crowded_cores() {
  bool crowded = KMP_HOOK_USED && KMP_OVERSUBSCRIBED && !__kmp_env_blocktime &&
                 __kmp_library == library_throughput && __kmp_hook_elastic == 0;
  return crowded ? __kmp_avail_proc : 0;
}

// In place of sched_yield(). Threads that outnumber the cores yield to each other
// while they wait. But another program keeps a core that it gets so for a time
// slice, some milliseconds. While that happens threads sleep at barriers as soon
// as they come: the system lets go first who is woken up. So they do on a single
// core, where nobody gains by spinning.
static inline int __kmp_hook_yield(int cores) {
  if (cores == 0)
    return sched_yield();
  static std::atomic<kmp_uint64> until(0), rest(0); // [ns]
  static std::atomic<kmp_uint64> last(0), before(0); // long yields, when [ns]
  const kmp_uint64 kTimeSlice = 1000000, kSoon = 20000000;
  const kmp_uint64 kFirst = 100000000, kLongest = 2000000000;
  const auto now = []() {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (kmp_uint64)time.tv_sec * 1000000000 + (kmp_uint64)time.tv_nsec;
  };
  const kmp_uint64 begin = now();
  const kmp_uint64 over = until.load(std::memory_order_relaxed);
  const bool sleeps = cores == 1 || begin < over;
  const int most = __kmp_hook_may_spin;
  if (sleeps != (TCR_4(__kmp_hook_spinning) < most))
    TCW_4(__kmp_hook_spinning, sleeps ? KMP_MIN(cores, most) : most);
  if (sleeps && __kmp_hook_can_sleep) {
    __kmp_hook_can_sleep = 0;
    return 0;
  }
  const int failed = sched_yield();
  const kmp_uint64 end = now();
  // Threads that share a core see the same time slice of another program.
  if (sleeps || end - begin < kTimeSlice || begin < last.load())
    return failed;
  // One may be chance: three soon after each other.
  if (end - before.exchange(last.exchange(end)) < kSoon) {
    const bool again = over != 0 && begin - over < rest.load();
    rest.store(again ? KMP_MIN(2 * rest.load(), kLongest) : kFirst);
    until.store(begin + rest.load());
  }
  return failed;
}

// omp_set_num_threads() has made the hot team smaller and noted that in all its
// threads; the first of them is in the team of the serial part now.
static inline void __kmp_hook_keep_team_of_one(kmp_info_t *th) {
  th->th.th_team_nproc = th->th.th_team->t.t_nproc;
}

// Whether a thread of GNU code that forks has a mask that the program gave it,
// which its child keeps. By one that libomp gave it the child is not to be bound.
static inline bool __kmp_hook_bound_by_program() {
  int gtid = __kmp_get_gtid();
  if (!__kmp_hook_beside_libgomp || gtid < 0 || !KMP_AFFINITY_CAPABLE())
    return false;
  kmp_affin_mask_t *given = __kmp_threads[gtid]->th.th_affin_mask;
  kmp_affin_mask_t *now;
  KMP_CPU_ALLOC_ON_STACK(now);
  bool other = given != nullptr && __kmp_get_system_affinity(now, FALSE) == 0 &&
               !KMP_CPU_EQUAL(now, given);
  KMP_CPU_FREE_FROM_STACK(now);
  return other;
}

// A thread of the program that ends takes along what a cancelled region has left
// in its team; a team of inner regions keeps that, and is not to give it back.
static __attribute__((noinline)) void
__kmp_hook_give_back_cancelled(kmp_info_t *th) {
  const kmp_root_t *root = th->th.th_root;
  if (root == nullptr || root->r.r_uber_thread != th)
    return;
  kmp_team_t *team = root->r.r_hot_team;
  if (team->t.t_hook_cancelled && team->t.t_max_nproc > 1)
    __kmp_hook_forget_cancelled(team, th);
  __atomic_fetch_add(&__kmp_hook_cancelled, 2, __ATOMIC_RELAXED);
}

// A thread that goes back to the pool, or ends, gives back what it holds of
// tasks' memory that is another thread's. libomp 19 leaves that with it: it
// would go on with a list in memory that has gone with its owner, a thread of
// the program.
static inline void __kmp_hook_give_back(kmp_info_t *th) {
  if (__builtin_expect(__kmp_hook_cancelled != 0, 0))
    __kmp_hook_give_back_cancelled(th);
  struct head { // what stands before each block (kmp_mem_descr)
    void *allocated;
    size_t size_allocated;
    kmp_info_t *owner;
    size_t size;
  };
  for (int i = 0; i < NUM_LISTS; ++i) {
    void *first = th->th.th_free_lists[i].th_free_list_other;
    if (first == nullptr)
      continue;
    th->th.th_free_lists[i].th_free_list_other = nullptr;
    void **last = (void **)first;
    while (*last != nullptr)
      last = (void **)*last;
    kmp_info_t *owner = ((head *)first)[-1].owner;
    void *volatile *list = &owner->th.th_free_lists[i].th_free_list_sync;
    do
      *last = *list;
    while (!KMP_COMPARE_AND_STORE_PTR(list, *last, first));
  }
}

// While a root is taken back. libomp 19 leaves its number with the thread that
// does so, and destructors of thread-specific data that run later may still use
// OpenMP: under a number that is nobody's by then, or already another thread's.
// Without one the thread becomes a root anew, which ends in the next round of
// destructors. What runs before the end of this asks for the number.
class __kmp_hook_root_end {
  const int gtid;

public:
  __kmp_hook_root_end(int number, kmp_info_t *th) : gtid(number) {
    __kmp_hook_give_back(th);
  }
  ~__kmp_hook_root_end() {
#ifdef KMP_TDATA_GTID
    if (__kmp_gtid == gtid)
      __kmp_gtid = KMP_GTID_DNE;
#endif
  }
};

#if OMPT_SUPPORT
extern "C" void ompt_fini(void);
#endif

// exit() ends a process whose other threads may be in regions, or begin some:
// then what they use stays. So it does where libgomp's would: destructors of
// GNU code that run later use its locks. Does the rest of libomp's end.
static inline bool __kmp_hook_others_stay(int gtid) {
  int own = gtid >= 0 ? gtid : __kmp_gtid_get_specific();
  int capacity = __kmp_threads_capacity;
  int other = 0;
  while (other < capacity && (other == own || __kmp_root[other] == nullptr))
    ++other;
  if (other >= capacity && !__kmp_hook_beside_libgomp)
    return false;
#if OMPT_SUPPORT
  ompt_fini();
#endif
  return true;
}

#define KMP_HOOK_OTHERS_STAY(gtid)                                             \
  if (__kmp_hook_others_stay(gtid))                                            \
    return; // the process ends under them

// The first mask that libomp asks for as the process's may be that of a thread
// which has inherited what libgomp's start-up gave the main thread.
#undef __kmp_get_system_affinity
#define __kmp_get_system_affinity(mask, abort_bool)                            \
  ((abort_bool) ? __kmp_hook_undo_libgomp(TRUE) : (void)0,                     \
   (mask)->get_system_affinity(abort_bool))

// A limit on the size of files must not end the process.
#define ftruncate(file, bytes) __kmp_hook_truncate(file, bytes)

// A thread that is cancelled while it waits for its team goes on first: else it
// takes along the lock that it waits with.
template <typename Wait> static inline int __kmp_hook_not_cancelled(Wait wait) {
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  const int status = wait();
  pthread_setcancelstate(before, nullptr);
  return status;
}
#define pthread_cond_wait(condition, lock)                                     \
  __kmp_hook_not_cancelled([&] { return pthread_cond_wait(condition, lock); })
#define pthread_cond_timedwait(condition, lock, until)                         \
  __kmp_hook_not_cancelled(                                                    \
      [&] { return pthread_cond_timedwait(condition, lock, until); })

// libgomp says nothing of what is deprecated, nor of a number of levels that it
// ignores.
#undef KMP_INFORM
#define KMP_INFORM(id, ...) KMP_HOOK_SAY(kmp_ms_inform, id, ##__VA_ARGS__)
#undef KMP_WARNING
#define KMP_WARNING(id, ...) KMP_HOOK_SAY(kmp_ms_warning, id, ##__VA_ARGS__)
#define KMP_HOOK_SAY(severity, id, ...)                                        \
  (__kmp_hook_is_silent(kmp_i18n_msg_##id)                                     \
       ? (void)0                                                               \
       : __kmp_msg(severity, KMP_MSG(id, ##__VA_ARGS__), __kmp_msg_null))

static inline bool __kmp_hook_is_silent(int message) {
  if (message != kmp_i18n_msg_APIDeprecated &&
      message != kmp_i18n_msg_EnvVarDeprecated &&
      message != kmp_i18n_msg_ActiveLevelsNegative &&
      message != kmp_i18n_msg_ActiveLevelsExceedLimit)
    return false;
  __kmp_hook_find_libgomp();
  return __kmp_hook_beside_libgomp != 0;
}

#endif // KMP_SCHEDULE_HOOK_PROCESS_H
