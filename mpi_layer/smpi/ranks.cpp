// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rank is it that calls, what time is it there, and how does it wait? Asked of SimGrid's C interface: the number
// of the actor is right under every way in which SimGrid switches between ranks (contexts/factory), where a
// thread-local would be right only if each rank is a thread.
#include <simgrid/actor.h>
#include <simgrid/cond.h>
#include <simgrid/engine.h>
#include <simgrid/mutex.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <utility>

#include "gimbal/per_rank.hpp"
#include "smpi/waiting.hpp"

namespace {

constexpr unsigned kMaxObjects = 64;  // PerRank objects in a program

using Slots = std::array<void*, kMaxObjects>;

// Never destroyed. A deque: what a rank has found stays where it is when another one comes.
Slots& slots_of(std::size_t process) {
    static auto* const all = new std::deque<Slots>;
    if (process >= all->size()) all->resize(process + 1);
    return (*all)[process];
}

}  // namespace

extern "C" unsigned gimbal_rank_new_number(void) {
    static unsigned next = 0;
    if (next == kMaxObjects) {
        std::fputs("gimbal: error: too many objects of simulated ranks (kMaxObjects)\n", stderr);
        std::abort();
    }
    return next++;
}

extern "C" void** gimbal_rank_slot(unsigned number) {
    return &slots_of(static_cast<std::size_t>(sg_actor_self_get_pid()))[number];
}

// As MPI_Wtime(), without the pause that SMPI puts into that: clocks are also read where no other rank may run. A
// second later, since 0 means "never" in places.
extern "C" std::uint64_t gimbal_virtual_ns(void) {
    return 1'000'000'000U + static_cast<std::uint64_t>(std::llround(simgrid_get_clock() * 1e9));
}

namespace gimbal::smpi {

namespace {

constexpr double kShortest_s = 1e-6;  // what a look at a message takes (smpi/iprobe)
constexpr double kShort_s = 2e-5;
constexpr double kMaxOwed_s = 2e-5;
constexpr double kPart = 0.1;         // of the time waited: how late it may see what was no message

/// How a rank pauses.
struct Pause {
    sg_mutex_t mutex = sg_mutex_init();
    sg_cond_t wake = sg_cond_init();
    bool asleep = false;
    double news_s = 0;  // when a message was sent last
    double owed_s = 0;
};
PerRank<Pause*> pauses;

Pause& own_pause() {
    Pause*& own = pauses.here();
    if (!own) own = new Pause;
    return *own;
}

std::deque<Pause*>& all_pauses() {
    static auto* const all = new std::deque<Pause*>;
    return *all;
}

}  // namespace

void Waiting::let_time_pass() noexcept {
    Pause& pause = own_pause();
    const auto process = static_cast<std::size_t>(sg_actor_self_get_pid());
    if (all_pauses().size() <= process) all_pauses().resize(process + 1);
    all_pauses()[process] = &pause;
    const double now = simgrid_get_clock();
    if (since_s_ < 0) since_s_ = now;
    const double quiet_s = now - std::max(since_s_, pause.news_s);
    const double owed_s = std::exchange(pause.owed_s, 0);
    if (quiet_s * kPart <= kShortest_s) return sg_actor_sleep_for(kShortest_s + owed_s);
    sg_mutex_lock(pause.mutex);
    pause.asleep = true;
    sg_cond_wait_for(pause.wake, pause.mutex, quiet_s * kPart + owed_s);
    pause.asleep = false;
    sg_mutex_unlock(pause.mutex);
}

void owe(double seconds) noexcept {
    Pause& pause = own_pause();
    pause.owed_s += seconds;
    if (pause.owed_s > kMaxOwed_s) pay();
}

void pay() noexcept {
    Pause& pause = own_pause();
    if (pause.owed_s > 0) sg_actor_sleep_for(std::exchange(pause.owed_s, 0));
}

void pause_shortly() noexcept {
    pay();
    sg_actor_sleep_for(kShort_s);
}

void wake(int process) noexcept {
    const auto number = static_cast<std::size_t>(process);
    if (number >= all_pauses().size() || !all_pauses()[number]) return;
    Pause& pause = *all_pauses()[number];
    pause.news_s = simgrid_get_clock();
    if (pause.asleep) sg_cond_notify_one(pause.wake);
}

}  // namespace gimbal::smpi
