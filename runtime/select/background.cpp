// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/background.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/early_memory.hpp"
#include "base/held_signal.hpp"
#include "base/process_state.hpp"
#include "gimbal/process_stat.hpp"
#include "lending/thread_core.hpp"

namespace gimbal {

namespace {

// Low enough to yield to the program wherever both want a core, high enough to get somewhere where it never sleeps.
constexpr int kNice = 10;
constexpr double kRetry_s = 5;  // after a repeated job that failed
// Between two looks whether the program has left: a part of the thread's age so far, within bounds [s].
constexpr double kLookPart = 0.1;
constexpr double kShortestLook_s = 0.01, kLongestLook_s = 1;

// Age at which a thread that nobody has asked for anything leaves: it would only look whether the program has [s].
constexpr double kUnwanted_s = 2;

// Of the processor time of the process. What is not used is kept for later, but not for long: else a program that has
// computed for a day would let a whole core go to predictions for minutes.
constexpr double kShare = 0.005;
constexpr double kMaxSaved_s = 0.05;
constexpr double kShortestWait_s = 1e-3, kLongestWait_s = 0.5;  // between two looks whether the share suffices

using Clock = std::chrono::steady_clock;

/// What wait_for_share() keeps of its thread.
struct Share {
    bool serving = false;   // whether this is that thread
    bool urgent = false;    // whether what it does is
    double begun_s = 0;     // when it began, by a clock that never stops
    double given_up_s = 0;  // that was not used in time
};
__thread Share share __attribute__((tls_model("initial-exec")));

double clock_s(clockid_t clock) noexcept {
    return 1e-9 * static_cast<double>(ns_on(clock));
}

struct Background {
    std::mutex mutex;
    std::condition_variable wake;
    std::list<std::function<void()>> urgent, jobs;  // empty ones take no memory: a child may have none
    std::function<double()> repeated;               // empty: none
    Clock::time_point due;                          // of `repeated`
    bool started = false;
    bool wanted = false;  // by a job, since it was started
    pthread_t thread{};
};

// Never destroyed: the thread may outlive static objects. Made when the library is loaded: what the first use makes, a
// signal can find half made.
union Immortal {
    constexpr Immortal() noexcept : none(0) {}
    ~Immortal() {}
    char none;
    Background background;
};
Immortal storage;
std::atomic<bool> stopping{false};
std::atomic<std::uint64_t> generation{0};
constinit CoreMask first_mask;
sigset_t program_signals;  // of the thread that started this one
bool first_mask_known = false;

__attribute__((constructor(101))) void make_background() {
    new (&storage.background) Background;
}

// Threads inherit the mask of their creator, and that may be an OpenMP thread that is bound to one core: the widest one
// counts that was seen here. libgomp's start-up may have bound the main thread before this, and libomp has undone that.
__attribute__((constructor)) void note_mask() {
    CoreMask now;
    if (!now.read(0)) return;
    if (!first_mask_known || now.cores() > first_mask.cores()) first_mask = now;
    first_mask_known = true;
}

Background& background() noexcept {
    return storage.background;
}

Clock::duration seconds(double time_s) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_s));
}

Clock::time_point next_look() noexcept {
    const double age_s = clock_s(CLOCK_MONOTONIC) - share.begun_s;
    return Clock::now() + seconds(std::clamp(kLookPart * age_s, kShortestLook_s, kLongestLook_s));
}

bool is_unwanted(const Background& own) noexcept {
    return !own.wanted && clock_s(CLOCK_MONOTONIC) - share.begun_s > kUnwanted_s;
}

/// Sleep until there is something to do. @return false: the process ends, or only threads of Gimbal's are left, or
/// nobody wants this one
bool wait_for_work(Background& own, std::unique_lock<std::mutex>& lock) {
    const auto called = [&] { return stopping.load() || !own.urgent.empty() || !own.jobs.empty(); };
    const auto is_due = [&] { return own.repeated && Clock::now() >= own.due; };
    const auto ready = [&] { return called() || is_due(); };
    while (!called()) {
        const Clock::time_point look = next_look();
        own.wake.wait_until(lock, own.repeated ? std::min(own.due, look) : look, ready);
        if (called()) break;
        lock.unlock();  // that reads files, and the program's threads take the lock to hand in a job
        const bool left = program_has_left();
        lock.lock();
        if (!called() && (left || is_unwanted(own))) return false;
        if (is_due()) break;
    }
    return !stopping.load();
}

template <class Job>
void run_unlocked(std::unique_lock<std::mutex>& lock, Job job) {
    lock.unlock();
    try {
        job();
    } catch (...) {  // out of memory: the caller waits in vain, and asks again
    }
    lock.lock();
}

void run_repeated(Background& own, std::unique_lock<std::mutex>& lock) {
    double pause_s = kRetry_s;
    // It does not change while the thread lives.
    run_unlocked(lock, [&] { pause_s = own.repeated(); });
    own.due = Clock::now() + seconds(pause_s);
}

/// With the lock held, and a job there.
void run_next(Background& own, std::unique_lock<std::mutex>& lock, std::list<std::function<void()>>& jobs) {
    const std::function<void()> job = std::move(jobs.front());
    jobs.pop_front();
    share.urgent = &jobs == &own.urgent;
    run_unlocked(lock, job);
    share.urgent = false;
}

/// Have the pages of libm's functions there that the first comparison of schedules needs: ten loops of 20 us take 20 us
/// less.
void enter_mathematics() noexcept {
    volatile double x = 1.5;
    x = std::hypot(x, x) + std::log(x) + std::erfc(x);
}

void* serve(void* /*unused*/) {
    std::optional<HeldSignals> held(std::in_place);  // they are; this says so to those who ask
    std::fesetenv(FE_DFL_ENV);  // not what the thread that started this one has set for its own arithmetic
    share = {.serving = true, .begun_s = clock_s(CLOCK_MONOTONIC)};
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
    pthread_setname_np(pthread_self(), "gimbal-select");
    if (first_mask_known) (void)first_mask.apply(0);
    // Where there is one core the program would wait for it.
    if (first_mask_known && first_mask.cores() > 1) {
        enter_early_pages();
        enter_mathematics();
    }
    Background& own = background();
    std::unique_lock lock(own.mutex);
    while (wait_for_work(own, lock)) {
        if (!own.urgent.empty()) {
            run_next(own, lock, own.urgent);
        } else if (!own.jobs.empty()) {
            run_next(own, lock, own.jobs);
        }
        if (own.repeated && Clock::now() >= own.due) run_repeated(own, lock);
    }
    if (stopping.load()) return nullptr;
    own.started = false;
    pthread_detach(pthread_self());
    const sigset_t of_program = program_signals;  // who starts another thread writes them
    lock.unlock();
    // main() has called pthread_exit(): as the process's last thread this one ends the process when it returns, and
    // what the program does at its end sees the program's signals.
    const bool last = program_has_left();
    held.reset();
    if (last) pthread_sigmask(SIG_SETMASK, &of_program, nullptr);
    return nullptr;
}

/// Of at least a megabyte, for a simulation: what the program's threads get may be too small.
int create_with_room(pthread_t* thread) noexcept {
    constexpr std::size_t kStack = std::size_t{1} << 20U;
    pthread_attr_t attributes;
    if (const int error = pthread_attr_init(&attributes); error != 0) return error;
    std::size_t usual = 0;
    const bool small = pthread_attr_getstacksize(&attributes, &usual) == 0 && usual < kStack;
    if (small) pthread_attr_setstacksize(&attributes, kStack);
    const int error = pthread_create(thread, small ? &attributes : nullptr, serve, nullptr);
    pthread_attr_destroy(&attributes);
    return error;
}

// With the lock held.
bool start(Background& own) noexcept {
    const HeldSignals held;  // who sees this thread made asks for the program's, too: gimbal_pin_program_signals()
    sigset_t all, before;
    sigfillset(&all);
    program_signals = HeldSignals::of_program();
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    own.wanted = false;
    note_mask();
    own.started = create_with_room(&own.thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return own.started;
}

/// On that thread, in a job that is not urgent.
void let_urgent_jobs_pass(Background& own) {
    if (share.urgent) return;
    std::unique_lock lock(own.mutex);
    while (!stopping.load() && !own.urgent.empty()) run_next(own, lock, own.urgent);
}

}  // namespace

bool run_in_background(bool elsewhere, std::function<void()> job, bool urgent) noexcept {
    try {
        if (!elsewhere) {
            job();
            return true;
        }
        Background& own = background();
        const std::lock_guard lock(own.mutex);
        if (stopping.load()) return false;
        if (!own.started && !start(own)) return false;
        own.wanted = true;
        (urgent ? own.urgent : own.jobs).push_back(std::move(job));
        own.wake.notify_one();
        return true;
    } catch (...) {
        return false;
    }
}

bool start_background() noexcept {
    Background& own = background();
    const std::lock_guard lock(own.mutex);
    return !stopping.load() && (own.started || start(own));
}

bool repeat_in_background(std::function<double()> job) noexcept {
    Background& own = background();
    const std::lock_guard lock(own.mutex);
    if (stopping.load() || own.repeated || (!own.started && !start(own))) return false;
    own.repeated = std::move(job);
    own.due = Clock::now();
    own.wanted = true;
    own.wake.notify_one();
    return true;
}

double thread_cpu_s() noexcept {
    return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

bool wait_for_share(double expected_s) noexcept {
    if (!share.serving) return true;
    Background& own = background();
    // A look costs tens of microseconds itself, which the shortest wait does not earn: each is twice the last.
    for (double least_s = kShortestWait_s;; least_s = std::min(2 * least_s, kLongestWait_s)) {
        if (stopping.load()) return false;
        let_urgent_jobs_pass(own);
        // A program that sleeps still has one core times wall time: who waits for a prediction must not wait for ever.
        const double used_s = std::max(clock_s(CLOCK_PROCESS_CPUTIME_ID), clock_s(CLOCK_MONOTONIC) - share.begun_s);
        const double left_s = kShare * used_s - share.given_up_s - thread_cpu_s();
        if (left_s > kMaxSaved_s) share.given_up_s += left_s - kMaxSaved_s;
        // What would never fit runs when all that can be saved is there.
        const double missing_s = std::min(expected_s, kMaxSaved_s) - left_s;
        if (missing_s <= 0) return true;
        // As if the process kept one core busy.
        const double wait_s = std::clamp(missing_s / kShare, least_s, kLongestWait_s);
        const auto until = Clock::now() + seconds(wait_s);
        std::unique_lock lock(own.mutex);
        own.wake.wait_until(lock, until, [&] { return stopping.load() || (!share.urgent && !own.urgent.empty()); });
        if (!stopping.load() && own.repeated && Clock::now() >= own.due) run_repeated(own, lock);
    }
}

void stop_background() noexcept {
    stopping.store(true);
    Background& own = background();
    {
        const auto lock = lock_or_give_up(own.mutex);
        // Not had by a process that ends in a signal handler which interrupted a thread that hands in a job.
        if (!lock.owns_lock() || !own.started) return;
        own.started = false;
        own.wake.notify_one();
    }
    // The job may wait for what the interrupted thread holds. The library stays, so the thread can be left to itself.
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1;
    pthread_clockjoin_np(own.thread, nullptr, CLOCK_MONOTONIC, &until);
}

bool background_is_stopping() noexcept {
    return stopping.load(std::memory_order_relaxed);
}

std::size_t background_waiting() noexcept {
    Background& own = background();
    const std::lock_guard lock(own.mutex);
    return own.urgent.size() + own.jobs.size();
}

std::uint64_t background_generation() noexcept {
    return generation.load(std::memory_order_relaxed);
}

// What the parent's thread held is not released here: its memory is left as it is, and new begins beside it.
void restart_background_in_child() noexcept {
    new (&storage.background) Background;
    stopping.store(false);
    generation.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace gimbal
