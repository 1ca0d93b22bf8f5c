// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of stores and loads on the bell's way: who sleeps is counted before its last look at the offers; who offers
// looks for sleepers after the offer stands. Both sequentially consistent, so one of the two sees the other.
#include "lending/node_cores.hpp"

#include <dirent.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <span>

#include "base/clock.hpp"
#include "lending/rank_part.hpp"

namespace gimbal {

namespace {

constexpr std::uint32_t kTermShift = 32;
constexpr timespec kLongestSleep{.tv_sec = 0, .tv_nsec = 100'000'000};  // in case the process that would ring is dead

constexpr std::uint32_t term_of(std::uint64_t offer) noexcept {
    return static_cast<std::uint32_t>(offer >> kTermShift);
}
constexpr std::uint32_t free_of(std::uint64_t offer) noexcept {
    return static_cast<std::uint32_t>(offer);
}
constexpr std::uint64_t offer_of(std::uint32_t term, std::uint32_t cores) noexcept {
    return static_cast<std::uint64_t>(term) << kTermShift | cores;
}
constexpr bool stands(std::uint32_t term) noexcept {
    return term % 2 != 0;
}

// Between processes: not the private kind. @return false: nothing came
bool futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
    return syscall(SYS_futex, &word, FUTEX_WAIT, value, &kLongestSleep, nullptr, 0) == 0 || errno != ETIMEDOUT;
}
// @return how many slept there and wake
std::uint32_t futex_wake(const std::atomic<std::uint32_t>& word, std::uint32_t most) noexcept {
    return static_cast<std::uint32_t>(std::max(syscall(SYS_futex, &word, FUTEX_WAKE, most, nullptr, nullptr, 0), 0L));
}

// Whether the program has bound the calling thread to the rank's own cores. In a child it has another number.
__thread bool set_here __attribute__((tls_model("initial-exec"))) = false;

bool is_place(const void* memory, std::size_t bytes, int slot, int slots) noexcept {
    return memory && slot >= 0 && slot < slots && bytes >= static_cast<std::size_t>(slots) * NodeCores::kSlotBytes;
}

/// Of this process, as the system lists them.
template <class Function>
void for_each_thread(Function function) {
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
    while (const dirent* const task = tasks ? readdir(tasks.get()) : nullptr)
        if (const pid_t thread = std::atoi(task->d_name); thread > 0) function(thread);
}

}  // namespace

void NodeCores::show(void* memory, std::size_t bytes, int slot_number, int slots) noexcept {
    if (!is_place(memory, bytes, slot_number, slots)) return;
    Slot& own = slot_in(memory, static_cast<std::uint32_t>(slot_number));
    if (own.shown.load(std::memory_order_relaxed) != 0 || !own.inherited.read(0)) return;
    own.shown.store(1, std::memory_order_release);  // partner: the acquire load in own_part()
}

bool NodeCores::attach(void* memory, std::size_t bytes, int slot_number, int slots, std::uint32_t cores) noexcept {
    const std::lock_guard lock(mutex_);
    if (attached() || !is_place(memory, bytes, slot_number, slots)) return false;
    show(memory, bytes, slot_number, slots);
    memory_ = static_cast<std::byte*>(memory);
    number_ = static_cast<std::uint32_t>(slot_number);
    slots_ = static_cast<std::uint32_t>(slots);
    cores_ = cores;
    pid_ = getpid();
    bind(slot(number_));
    processors_.store(0, std::memory_order_relaxed);
    own_.store(&slot(number_), std::memory_order_release);
    return true;
}

// A launcher may have bound ranks, several to the same processors: they part these among themselves.
CoreMask NodeCores::own_part() const noexcept {
    std::uint32_t number = 0, ranks = 0;
    for (std::uint32_t i = 0; i < slots_; ++i) {
        const Slot& one = slot(i);
        if (one.shown.load(std::memory_order_acquire) == 0) return {};
        if (one.inherited == inherited_) {
            if (i < number_) ++number;
            ++ranks;
        } else if (one.inherited.meets(inherited_)) {
            return {};  // its part might be anywhere
        }
    }
    return part_of_rank(inherited_, number, ranks, cores_, core_of);
}

void NodeCores::bind(Slot& own) noexcept {
    if (own.shown.load(std::memory_order_relaxed) == 0) return;
    own.mask = own_again_ = inherited_ = own.inherited;
    if (const CoreMask mine = own_part(); !mine.empty()) {
        note_bound_before(mine);
        find_what_gives_back();
        if (mine.apply(0))
            own.mask = mine;
        else
            (void)inherited_.apply(0);  // the look at what gives it back has set another one
    }
    // Partners: the acquire loads in cores_of_others() and processors().
    own.bound.store(1, std::memory_order_release);
}

// What any of the ranks might run on: a control group or taskset may leave them fewer than the machine has, and in
// ranks that are bound each has a part.
std::size_t NodeCores::processors() const noexcept {
    if (const std::size_t known = processors_.load(std::memory_order_relaxed)) return known;
    CoreMask all = inherited_;
    for (std::uint32_t i = 0; i < slots_; ++i) {
        const Slot& one = slot(i);
        // Until that one has attached, and where masks cannot be read.
        if (!one.bound.load(std::memory_order_acquire))
            return inherited_.cores() >= std::size_t{slots_} * cores_
                       ? inherited_.cores()
                       : static_cast<std::size_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
        all = all.with(one.inherited);
    }
    processors_.store(all.cores(), std::memory_order_relaxed);
    return all.cores();
}

std::uint32_t NodeCores::for_others() const noexcept {
    if (!attached()) return 0;
    const std::size_t count = processors(), all = std::size_t{slots_} * cores_;
    return static_cast<std::uint32_t>(std::min(count > cores_ ? count - cores_ : 0, all - cores_));
}

void NodeCores::want() noexcept {
    Slot* const own = own_.load(std::memory_order_acquire);
    if (own && own->wants.load(std::memory_order_relaxed) == 0) own->wants.store(1, std::memory_order_relaxed);
}

bool NodeCores::wanted_by_others() const noexcept {
    if (!attached()) return false;
    if (crowded()) return true;
    for (std::uint32_t i = 1; i < slots_; ++i)
        if (slot((number_ + i) % slots_).wants.load(std::memory_order_relaxed) != 0) return true;
    return false;
}

void NodeCores::detach() noexcept {
    const std::lock_guard lock(mutex_);
    const Slot* const own = own_.exchange(nullptr, std::memory_order_acq_rel);
    if (!own || own->bound.load(std::memory_order_relaxed) == 0) return;
    bring_home(own_again_);
    if (own->mask != own_again_) free_threads(own->mask);
}

// Threads that were started meanwhile, or brought home, have the main thread's mask. Somebody else may have bound some
// since: they have another one, or the program has said so.
void NodeCores::free_threads(const CoreMask& bound) const noexcept {
    const auto free_one = [&](pid_t thread) {
        CoreMask now;
        if (!is_set_by_program(thread) && now.read(thread) && now == bound) (void)own_again_.apply(thread);
    };
    free_one(this_thread());
    for_each_thread(free_one);
}

// Who has that mask before any thread was given it was bound by the program, or from outside.
void NodeCores::note_bound_before(const CoreMask& bound) noexcept {
    if (bound == inherited_) return;
    for_each_thread([&](pid_t thread) {
        CoreMask now;
        if (now.read(thread) && now == bound) note(thread, true);
    });
}

// Since Linux 6.2 a mask that was set is kept as the thread's wish, also when the control group gets more processors.
// Who had all that it grants gets all again, and the kernel keeps those that it grants then.
void NodeCores::find_what_gives_back() noexcept {
    CoreMask all = inherited_, granted;
    for (std::size_t core = 0; core < CoreMask::kMax; ++core) all = all.with(static_cast<int>(core));
    if (all.apply(0) && granted.read(0) && granted == inherited_) own_again_ = all;
}

void NodeCores::note_set(pid_t thread) noexcept {
    const Slot* const own = own_.load(std::memory_order_acquire);
    CoreMask now;
    if (!own || getpid() != pid_ || !now.read(thread)) return;
    const std::lock_guard lock(mutex_);
    note(thread, now == own->mask);
}

// With the lock held. Who has ended makes room; where there is none, its mask is taken for inherited.
void NodeCores::note(pid_t thread, bool is_set) noexcept {
    if (thread == this_thread()) set_here = is_set;
    std::atomic<pid_t>* room = nullptr;
    for (std::atomic<pid_t>& place : set_) {
        const pid_t there = place.load(std::memory_order_relaxed);
        if (there == thread) {
            if (!is_set) place.store(0, std::memory_order_relaxed);
            return;
        }
        if (is_set && !room && (there == 0 || syscall(SYS_tgkill, getpid(), there, 0) != 0)) room = &place;
    }
    if (room) room->store(thread, std::memory_order_relaxed);
}

bool NodeCores::is_set_by_program(pid_t thread) const noexcept {
    return std::ranges::any_of(set_,
                               [thread](const auto& one) { return one.load(std::memory_order_relaxed) == thread; });
}

bool NodeCores::step_out() noexcept {
    const Slot* const own = own_.load(std::memory_order_acquire);
    CoreMask now;
    if (!own || own->mask == inherited_ || set_here || is_set_by_program(this_thread()) || !now.read(0)) return false;
    return (now == own->mask || now == cores_of_others()) && own_again_.apply(0);
}

// Whether it still is on others' cores is known by who roams now.
void NodeCores::step_in() noexcept {
    const std::lock_guard lock(mutex_);
    const Slot* const own = own_.load(std::memory_order_acquire);
    CoreMask now;
    if (!own || !now.read(0) || now != inherited_) return;
    const auto roamers = std::span(roamers_).first(roaming_.load(std::memory_order_relaxed));
    const bool roams = std::ranges::find(roamers, this_thread()) != roamers.end();
    (void)(roams ? cores_of_others() : own->mask).apply(0);
}

CoreMask NodeCores::cores_of_others() const noexcept {
    CoreMask others;
    for (std::uint32_t i = 0; i < slots_; ++i) {
        const Slot& other = slot(i);
        if (i != number_ && other.bound.load(std::memory_order_acquire)) others = others.with(other.mask);
    }
    return others;
}

// A thread that cannot be noted stays: it could not be brought home.
void NodeCores::roam() noexcept {
    static __thread std::uint32_t outing __attribute__((tls_model("initial-exec"))) = 0;
    const Slot* const own = own_.load(std::memory_order_acquire);
    if (!own || outing == outing_.load(std::memory_order_relaxed)) return;
    const CoreMask others = cores_of_others();
    const std::lock_guard lock(mutex_);
    outing = outing_.load(std::memory_order_relaxed);
    const std::size_t place = roaming_.load(std::memory_order_relaxed);
    if (place == kMaxRoamers || others.empty() || !others.apply(0)) return;
    roamers_[place] = this_thread();
    roaming_.store(place + 1, std::memory_order_relaxed);
}

void NodeCores::bring_home() noexcept {
    if (roaming_.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(mutex_);
    if (const Slot* const own = own_.load(std::memory_order_acquire)) bring_home(own->mask);
}

// With the lock held. Who has ended, or was bound by somebody else since, is left alone.
void NodeCores::bring_home(const CoreMask& home) noexcept {
    const CoreMask others = cores_of_others();
    const std::size_t count = roaming_.exchange(0, std::memory_order_relaxed);
    for (const pid_t thread : std::span(roamers_).first(count)) {
        CoreMask now;
        const bool ours = syscall(SYS_tgkill, getpid(), thread, 0) == 0;
        if (ours && now.read(thread) && now == others) (void)home.apply(thread);
    }
    outing_.fetch_add(1, std::memory_order_relaxed);
}

void NodeCores::forget_in_child() noexcept {
    (void)step_out();
    new (&mutex_) std::mutex;
    own_.store(nullptr, std::memory_order_relaxed);
    lent_ = 0;
    roaming_.store(0, std::memory_order_relaxed);
}

NodeCores::Slot& NodeCores::slot_in(void* memory, std::uint32_t number) noexcept {
    return *reinterpret_cast<Slot*>(static_cast<std::byte*>(memory) + number * kSlotBytes);
}

NodeCores::Slot& NodeCores::slot(std::uint32_t number) const noexcept {
    return slot_in(memory_, number);
}

void NodeCores::lend(std::uint32_t cores) noexcept {
    Slot* const own = own_.load(std::memory_order_acquire);
    if (!own) return;
    {
        const std::lock_guard lock(mutex_);
        const std::uint32_t more = std::min(cores, cores_ - lent_);
        lent_ += more;
        if (more == 0) return;
        std::uint64_t offer = own->offer.load(std::memory_order_relaxed);
        if (stands(term_of(offer))) {
            own->offer.fetch_add(more);  // borrowers change the free ones meanwhile
        } else {
            own->since.store(ticks(), std::memory_order_relaxed);
            own->offer.store(offer_of(term_of(offer) + 1, more));
        }
        cores = more;
    }
    wake_others(cores);
}

void NodeCores::take_back(std::uint32_t cores) noexcept {
    Slot* const own = own_.load(std::memory_order_acquire);
    if (!own) return;
    const std::lock_guard lock(mutex_);
    lent_ -= std::min(cores, lent_);
    const std::uint32_t term = term_of(own->offer.load(std::memory_order_relaxed));
    if (!stands(term)) return;
    // Which cores are whose nobody knows: all offers end, and what others still lend is offered anew.
    own->offer.store(lent_ == 0 ? offer_of(term + 1, 0) : offer_of(term + 2, lent_));
}

void NodeCores::wake_others(std::uint32_t cores) noexcept {
    for (std::uint32_t i = 1; i < slots_ && cores > 0; ++i) {
        Slot& other = slot((number_ + i) % slots_);
        const std::uint32_t sleepers = other.sleepers.load();
        if (sleepers == 0) continue;
        other.bell.fetch_add(1);
        // Not all who are counted sleep: some are awake already, and a rank that was killed has left its own behind.
        cores -= futex_wake(other.bell, std::min(sleepers, cores));
    }
}

BorrowedCore NodeCores::borrow() noexcept {
    for (std::uint32_t i = 1; i < slots_; ++i) {
        const std::uint32_t lender = (number_ + i) % slots_;
        std::atomic<std::uint64_t>& offer = slot(lender).offer;
        std::uint64_t seen = offer.load();
        while (stands(term_of(seen)) && free_of(seen) > 0) {
            if (offer.compare_exchange_weak(seen, seen - 1)) return {lender, term_of(seen)};
        }
    }
    return {};
}

bool NodeCores::wanted(BorrowedCore core) const noexcept {
    return term_of(slot(core.lender).offer.load(std::memory_order_relaxed)) != core.term;
}

void NodeCores::give_back(BorrowedCore core) noexcept {
    std::atomic<std::uint64_t>& offer = slot(core.lender).offer;
    std::uint64_t seen = offer.load();
    do {
        if (term_of(seen) != core.term) return;
    } while (!offer.compare_exchange_weak(seen, seen + 1));
    wake_others(1);
}

bool NodeCores::sleep(const std::atomic<std::uint32_t>& word, std::uint32_t stop) noexcept {
    Slot* const own = own_.load(std::memory_order_acquire);
    if (!own) return false;
    own->sleepers.fetch_add(1);
    const std::uint32_t rung = own->bell.load();
    bool offered = false;
    for (std::uint32_t i = 1; i < slots_ && !offered; ++i) {
        const std::uint64_t offer = slot((number_ + i) % slots_).offer.load();
        offered = stands(term_of(offer)) && free_of(offer) > 0;
    }
    const bool rang = offered || word.load() == stop || futex_wait(own->bell, rung);
    own->sleepers.fetch_sub(1);
    return rang;
}

void NodeCores::ring() noexcept {
    Slot* const own = own_.load(std::memory_order_acquire);
    if (!own || own->sleepers.load() == 0) return;
    own->bell.fetch_add(1);
    (void)futex_wake(own->bell, INT32_MAX);
}

std::uint64_t NodeCores::offered_since(std::uint64_t begin) const noexcept {
    if (!attached()) return 0;
    const std::uint64_t now = ticks();
    std::uint64_t sum = 0;
    for (std::uint32_t i = 1; i < slots_; ++i) {
        const Slot& other = slot((number_ + i) % slots_);
        if (!stands(term_of(other.offer.load(std::memory_order_acquire)))) continue;
        const std::uint64_t since = std::max(other.since.load(std::memory_order_relaxed), begin);
        if (now > since) sum += now - since;
    }
    return sum;
}

}  // namespace gimbal
