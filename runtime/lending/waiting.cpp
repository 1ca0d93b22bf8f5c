// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sched.h>

#include <algorithm>
#include <array>

#include "gimbal/core_loan.h"
#include "gimbal/options.hpp"
#include "lending/loan.hpp"
#include "lending/thread_core.hpp"
#include "measure/clock.hpp"

namespace {

using gimbal::ticks;

constexpr double kPatience_us = 20;    // between two looks at those who are missing
constexpr double kGlance_us = 4;       // a thread whose clock stands still for so long is not on a core
constexpr double kKept_us = 10'000;    // how long a core stays lent to a thread that has arrived
constexpr std::uint32_t kLooked = 32;  // threads at a time

void rest() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("" ::: "memory");
#endif
}

bool reached(const gimbal_waiter& member, std::uint64_t meeting) noexcept {
    return __atomic_load_n(&member.meeting, __ATOMIC_ACQUIRE) == meeting;
}

std::uint64_t from_us(double us) noexcept {
    return static_cast<std::uint64_t>(us * gimbal::ticks_per_microsecond());
}

// The first thread from `from` on that is missing and on no core. @return nullptr: all that were looked at are
gimbal_waiter* stranded(const gimbal_meeting& meeting, std::uint32_t from) noexcept {
    struct Missing {
        gimbal_waiter* member;
        std::uint64_t time;
    };
    std::array<Missing, kLooked> missing;
    std::size_t count = 0;
    for (std::uint32_t number = from; number < meeting.size && count < kLooked; ++number) {
        gimbal_waiter* const member = meeting.member(meeting.team, number);
        if (reached(*member, meeting.name) || __atomic_load_n(&member->borrowed, __ATOMIC_RELAXED) != 0) continue;
        const auto thread = static_cast<pid_t>(__atomic_load_n(&member->thread, __ATOMIC_ACQUIRE));
        if (thread != 0) missing[count++] = {member, gimbal::thread_time_ns(thread)};
    }
    const std::uint64_t until = ticks() + from_us(kGlance_us);
    while (ticks() < until) rest();
    for (const Missing& one : std::span(missing).first(count)) {
        if (gimbal::thread_time_ns(static_cast<pid_t>(one.member->thread)) == one.time && one.time != 0 &&
            !reached(*one.member, meeting.name))
            return one.member;
    }
    return nullptr;
}

// @return whom the core was lent to; nullptr: there is nobody to wait for here any more
gimbal_waiter* look_after(gimbal_waiter& self, const gimbal_meeting& meeting, std::uint64_t limit) noexcept {
    const std::uint64_t patience = from_us(kPatience_us);
    std::uint64_t look = ticks() + patience;
    for (std::uint32_t next = 0;;) {
        while (next < meeting.size && reached(*meeting.member(meeting.team, next), meeting.name)) ++next;
        if (next == meeting.size) return nullptr;
        for (int i = 0; i < 8; ++i) rest();
        const std::uint64_t now = ticks();
        if (now < look) continue;
        if (now > limit || meeting.stop(meeting.team)) return nullptr;
        if (gimbal_waiter* const borrower = stranded(meeting, next)) {
            if (gimbal::LoanName const name = gimbal::begin_loan(*borrower)) {
                self.lent = name;
                return borrower;
            }
        }
        look = ticks() + patience;
    }
}

}  // namespace

extern "C" {

int gimbal_lending(void) {
    const gimbal::Options& options = gimbal::options();
    return options.lend && options.pin.mode == "off";
}

void gimbal_wait_for_team(gimbal_waiter* self, const gimbal_meeting* meeting) {
    if (self->thread == 0) __atomic_store_n(&self->thread, gimbal::this_thread(), __ATOMIC_RELEASE);
    gimbal_waiter* const first = meeting->member(meeting->team, 0);
    if (__atomic_exchange_n(&first->watched, 1, __ATOMIC_ACQUIRE)) return;
    const std::uint64_t limit = ticks() + from_us(static_cast<double>(meeting->limit_us));
    const gimbal_waiter* const borrower = look_after(*self, *meeting, limit);
    __atomic_store_n(&first->watched, 0, __ATOMIC_RELEASE);
    if (!borrower) return;
    while (!reached(*borrower, meeting->name) && ticks() < limit && !meeting->stop(meeting->team)) sched_yield();
}

void gimbal_waiter_arrived(gimbal_waiter* self, const volatile uint64_t* go, uint64_t released) {
    if (go) gimbal_waiter_home(self);
    if (!self->lent) return;
    const std::uint64_t until = ticks() + from_us(kKept_us);
    while (go && gimbal::stands(self->lent) && *go != released && ticks() < until) sched_yield();
    gimbal::end_loan(self->lent);
    self->lent = 0;
}

void gimbal_waiter_home(gimbal_waiter* self) {
    if (!__atomic_load_n(&self->borrowed, __ATOMIC_RELAXED)) return;
    gimbal::end_loan(__atomic_exchange_n(&self->borrowed, 0, __ATOMIC_ACQ_REL));
}

}  // extern "C"
