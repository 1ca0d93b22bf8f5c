// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libgimbal_pin.so in a process: when it is loaded, when it forks, when it ends.
#include "attach/process.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "act/actuator.hpp"
#include "gimbal/error.hpp"
#include "gimbal/pin_settings.hpp"
#include "gimbal/rank_cores.h"
#include "machine/affinity.hpp"
#include "manager/manager.hpp"

namespace gimbal::pin {

namespace {

/// Lives until the process is gone: threads may run while it ends.
struct Process {
    Registry registry;
    PinConfig config;
    std::unique_ptr<Manager> manager;
    pthread_t manager_thread{};
    std::atomic<bool> manager_wanted = false;
    std::atomic<bool> manager_runs = false;
    sigset_t program_signals{};  ///< blocked in the thread that started the manager, by the program
    bool ends_here = false;      ///< the manager's thread was the last one and ends the process
    pthread_key_t key{};
    pid_t pid = 0;
    OwnWords first_mask;  ///< of the process when it began
};

alignas(Process) unsigned char g_memory[sizeof(Process)];
Process* g_process = nullptr;
std::atomic<bool> g_on = false;
thread_local RecordPointer* t_record = nullptr;  // not a pointer with a destructor: see end_self()
thread_local bool t_ours = false;                // the manager, and what it starts
thread_local bool t_fork_locks = false;

/// While this lives nobody cancels the thread: what opens files, or waits, would unwind it, where the program has
/// called what is no cancellation point, or ends.
class Uncancelled {
public:
    Uncancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &programs_); }
    ~Uncancelled() { pthread_setcancelstate(programs_, nullptr); }
    Uncancelled(const Uncancelled&) = delete;
    Uncancelled& operator=(const Uncancelled&) = delete;

private:
    int programs_ = PTHREAD_CANCEL_ENABLE;
};

void end_self(void* record) {
    auto* const pointer = static_cast<RecordPointer*>(record);
    t_record = nullptr;
    if (!is_on()) return;  // in a child the counters are its parent's
    g_process->registry.end(**pointer);
    delete pointer;
    if (g_process->manager_runs.load(std::memory_order_acquire) && g_process->registry.size() == 0)
        g_process->manager->hurry();
}

/// Here and not in the thread that ends the process: that may be in a signal handler which interrupted malloc().
void say_figures(Manager& manager) noexcept {
    manager.finish();
    try {
        if (const auto figures = manager.figures())
            gimbal_pin_report(figures_json(*figures).c_str(), figures_text(*figures).c_str());
    } catch (const std::exception&) {
        // No memory for a report.
    }
}

void* manager_main(void*) {
    t_ours = true;
    // Neither signals nor pthread_cancel() meant for the program's threads end up here.
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    // The C library never blocks its own signal for cancellation, and obeys it in a wait even if cancellation is off.
    const unsigned long cancellation = 1UL << (32 - 1);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &cancellation, nullptr, sizeof cancellation);
    pthread_setname_np(pthread_self(), "gimbal-pin");
    std::fesetenv(FE_DFL_ENV);  // not what the thread that started this one has set for its own arithmetic
    g_process->manager->run();
    say_figures(*g_process->manager);
    if (!g_process->manager->is_last()) return nullptr;
    // The main thread has called pthread_exit(), and the others have ended. When this one returns the C library calls
    // exit(0), as it would have done after the program's last thread: what runs then is the program's.
    t_ours = false;
    g_process->ends_here = true;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &cancellation, nullptr, sizeof cancellation);
    pthread_sigmask(SIG_SETMASK, &g_process->program_signals, nullptr);
    return nullptr;
}

/// A stack of the manager's own where what the program gives its threads is too small for hwloc and PAPI.
class ManagerAttributes {
public:
    ManagerAttributes() noexcept : known_(pthread_attr_init(&attributes_) == 0) {
        std::size_t usual = 0;
        const bool small = known_ && pthread_attr_getstacksize(&attributes_, &usual) == 0 && usual < kStack;
        if (small) pthread_attr_setstacksize(&attributes_, kStack);
    }
    ~ManagerAttributes() { pthread_attr_destroy(&attributes_); }
    ManagerAttributes(const ManagerAttributes&) = delete;
    ManagerAttributes& operator=(const ManagerAttributes&) = delete;
    [[nodiscard]] const pthread_attr_t* get() const noexcept { return known_ ? &attributes_ : nullptr; }

private:
    static constexpr std::size_t kStack = std::size_t{1} << 20;
    pthread_attr_t attributes_{};
    bool known_;
};

bool start_manager() {
    Process& process = *g_process;
    process.manager = std::make_unique<Manager>(process.config, process.registry);
    gimbal_pin_program_signals(&process.program_signals);
    const ManagerAttributes attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = real_create()(&process.manager_thread, attributes.get(), manager_main, nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error == 0;
}

// fork: nobody may be between two halves of a change.
void before_fork() {
    t_fork_locks = is_on();
    if (t_fork_locks) g_process->registry.mutex().lock();
}

void parent_after_fork() {
    if (t_fork_locks) g_process->registry.mutex().unlock();
}

/// The calling thread gets the mask from before it was placed. Also in a child, where there may be no heap.
/// @return 0 or errno
int set_own_mask(const ThreadRecord& record) {
    constexpr bool kLooks = false;
    return record.own_is_all ? set_all_granted(0, record.own_mask, kLooks) : set_affinity(0, record.own_mask);
}

// The child has one thread, with the mask that its parent's thread was given. It starts anew with the mask that it had
// before, and nobody places it.
void child_after_fork() {
    g_on.store(false);
    if (!t_fork_locks) return;
    g_process->registry.mutex().unlock();
    if (t_record && !(*t_record)->own_mask.empty()) (void)set_own_mask(**t_record);
}

/// Instructions of the calling thread, by an event of its own that is opened when it is first asked for. What the
/// manager reads is another one. @return 0: they cannot be counted
std::uint64_t instructions_here() noexcept {
    static std::atomic<bool> hopeless = false;
    ThreadRecord* const record = self();
    if (!record || hopeless.load(std::memory_order_relaxed) || !is_on()) return 0;
    if (!std::exchange(record->instructions_asked, true)) {
        try {
            if (!record->instructions.open(PerfKind::instructions, record->tid).empty()) hopeless = true;
        } catch (const std::exception&) {
            hopeless = true;
        }
    }
    Reading reading;
    if (!record->instructions.read(reading) || reading.running_ns != reading.enabled_ns) return 0;
    return static_cast<std::uint64_t>(reading.value);
}

/// Loops are told that placement learns, so that one level at a time tries something.
void begin_learning(PinConfig& config) noexcept {
    if (config.settings.mode != Mode::learn) return;
    const bool counts = !config.metric || *config.metric < Backend::progress;
    if (counts) config.instructions = +[]() -> std::uint64_t { return instructions_here(); };
    gimbal_pin_begin(config.instructions);
}

__attribute__((destructor)) void on_exit();

__attribute__((constructor)) void on_load() {
    const gimbal_pin_settings given = gimbal_pin_settings_get();
    if (!given.settings || given.settings->mode == Mode::off) return;
    g_process = new (g_memory) Process;
    g_process->pid = getpid();
    g_process->first_mask.read();
    std::string name;
    try {
        g_process->config = read_config(given, name);
    } catch (const Error& error) {
        gimbal_pin_refuse(name.c_str(), error.what(), error.hint().c_str());
        return;
    } catch (const std::exception& error) {
        gimbal_pin_refuse("GIMBAL_PIN", error.what(), "");
        return;
    }
    if (pthread_key_create(&g_process->key, end_self) != 0) return;
    pthread_atfork(before_fork, parent_after_fork, child_after_fork);
    at_quick_exit(on_exit);
    g_on.store(true);
    begin_learning(g_process->config);
    begin_self();
}

void on_exit() {
    if (!is_on() || getpid() != g_process->pid || !g_process->manager_runs) return;
    const Uncancelled uncancelled;
    g_process->manager->stop();
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 2;
    // A program that ends in a signal handler may hold a lock that the manager waits for.
    if (!g_process->ends_here && pthread_clockjoin_np(g_process->manager_thread, nullptr, CLOCK_MONOTONIC, &until) != 0)
        return;
    g_on.store(false);
}

/// Whether threads count themselves. The main thread does so from when a second one is to begin: a program of one
/// thread loads no PAPI.
bool counts_inside() noexcept {
    return g_process->config.metric == Backend::papi_inside;
}

/// @return nullptr: no memory
ThreadRecord* make_record(const void* routine) noexcept {
    const bool is_main = syscall(SYS_gettid) == static_cast<long>(g_process->pid);
    try {
        auto record = std::make_unique<RecordPointer>(
            g_process->registry.add_self(is_main, counts_inside() && !is_main, routine));
        t_record = record.release();
        pthread_setspecific(g_process->key, t_record);
        return t_record->get();
    } catch (const std::exception&) {
        return nullptr;
    }
}

}  // namespace

CreateFunction real_create() noexcept {
    static const auto create = reinterpret_cast<CreateFunction>(dlsym(RTLD_NEXT, "pthread_create"));
    return create;
}

bool is_ours() noexcept {
    return t_ours;
}

bool is_on() noexcept {
    return g_on.load(std::memory_order_acquire) && getpid() == g_process->pid;
}

void leave_parent() noexcept {
    g_on.store(false);
    gimbal_pin_end();
}

ThreadRecord* self() noexcept {
    return t_record ? t_record->get() : nullptr;
}

RecordPointer shared_self() noexcept {
    return t_record ? *t_record : nullptr;
}

ThreadRecord* begin_self(const void* routine) noexcept {
    if (t_record) return t_record->get();
    if (!is_on() || t_ours) return nullptr;
    const Uncancelled uncancelled;
    return make_record(routine);
}

void need_manager() noexcept {
    if (!is_on() || t_ours || g_process->manager_wanted.exchange(true)) return;
    const Uncancelled uncancelled;
    bool runs = false;
    try {
        if (counts_inside() && t_record && (*t_record)->main) Registry::start_inside(**t_record);
        runs = start_manager();
    } catch (const std::exception&) {
        // Without memory nobody is placed.
    }
    g_process->manager_runs.store(runs, std::memory_order_release);
    if (!runs) gimbal_pin_end();
}

Registry& registry() noexcept {
    return g_process->registry;
}

bool OwnWords::read() noexcept {
    bytes_ = std::max(0L, syscall(SYS_sched_getaffinity, 0, sizeof words_, words_));
    return bytes_ > 0;
}

void OwnWords::apply() const noexcept {
    if (bytes_ > 0) syscall(SYS_sched_setaffinity, 0, bytes_, words_);
}

bool OwnWords::is_same(const OwnWords& other) const noexcept {
    return bytes_ > 0 && bytes_ == other.bytes_ &&
           std::memcmp(words_, other.words_, static_cast<std::size_t>(bytes_)) == 0;
}

OwnMask::OwnMask() noexcept {
    if (!g_on.load(std::memory_order_acquire)) {
        is_rank_ = gimbal_rank_cores_step_out() != 0;
        if (is_rank_) tid_ = static_cast<pid_t>(syscall(SYS_gettid));
        return;
    }
    if (!t_record) return;
    ThreadRecord& record = **t_record;
    const bool is_child = syscall(SYS_gettid) != record.tid;
    const std::unique_lock lock = g_process->registry.lock_within(is_child ? 100 : 1000);
    if (is_child && !lock.owns_lock()) g_process->first_mask.apply();
    if (!lock.owns_lock() || record.own_mask.empty()) return;
    if (is_child) {
        (void)set_own_mask(record);
        return;
    }
    const LoansPaused paused;
    if (set_own_mask(record) != 0) return;
    record.aside.fetch_add(1);
    tid_ = record.tid;
    set_.read();
}

OwnMask::~OwnMask() {
    if (tid_ == 0 || syscall(SYS_gettid) != tid_) return;  // a child of _Fork() has a copy of this
    const int before = errno;
    if (is_rank_) {
        gimbal_rank_cores_step_in();
    } else {
        ThreadRecord& record = **t_record;
        const std::unique_lock lock = g_process->registry.lock_within(100);
        const LoansPaused paused;
        OwnWords now;
        const bool is_back = now.read() && now.is_same(set_) && lock.owns_lock() && record.aside.load() == 1;
        if (is_back && !record.given_mask.empty()) (void)set_affinity(0, record.given_mask);
        record.aside.fetch_sub(1);
    }
    errno = before;
}

}  // namespace gimbal::pin
