// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sched.h>

#include <array>
#include <cstdio>
#include <span>

#include "base/clock.hpp"
#include "base/own_state.hpp"
#include "base/pause.hpp"
#include "gimbal/core_loan.h"
#include "gimbal/options.hpp"
#include "gimbal/process_stat.hpp"
#include "lending/loan.hpp"
#include "lending/thread_core.hpp"
#include "trace/recorder.hpp"

namespace {

using gimbal::may_go_on;
using gimbal::reached;
using gimbal::ticks;

constexpr double kPatience_us = 20;    // between two looks at those who are missing,
constexpr double kAsleep_us = 500;     // and at one who sleeps
constexpr double kGlance_us = 4;       // a thread whose clock stands still for so long is not on a core
constexpr double kKept_us = 10'000;    // how long a core stays lent to a thread that has arrived
constexpr int kShort = 100;            // rests before any clock is read
constexpr std::uint32_t kLooked = 32;  // threads at a time

std::uint64_t from_us(double us) noexcept {
    return static_cast<std::uint64_t>(us * gimbal::ticks_per_microsecond());
}

// @return who has not come yet; nullptr: has, or is not to be waited for
gimbal_waiter* missing(const gimbal_meeting& meeting, std::uint32_t number) noexcept {
    gimbal_waiter* const member = meeting.member(meeting.host, number);
    return member && !reached(*member, meeting.name) ? member : nullptr;
}

// A thread that sleeps, reads or waits for a lock before it comes wants no core. The system says so in a file, which
// takes as long to read as a core to lend: a thread that waits has nothing else to do.
bool is_asleep(pid_t thread) noexcept {
    std::array<char, gimbal::ProcessStat::kEnough> text;
    std::array<char, 48> path;
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", thread);
    const char state = gimbal::ProcessStat::read(path.data(), text).state();
    return state == 'S' || state == 'D';
}

// The first thread from `from` on that is missing, on no core, and wants one.
// @param asleep  set where one wants none  @return nullptr: there is none among those that were looked at
gimbal_waiter* stranded(const gimbal_meeting& meeting, std::uint32_t from, bool& asleep) noexcept {
    struct Seen {
        gimbal_waiter* member;
        pid_t thread;
        std::uint64_t time;
    };
    std::array<Seen, kLooked> seen;
    std::size_t count = 0;
    for (std::uint32_t number = from; number < meeting.size && count < kLooked; ++number) {
        gimbal_waiter* const member = missing(meeting, number);
        if (!member || __atomic_load_n(&member->borrowed, __ATOMIC_RELAXED) != 0) continue;
        const auto thread = static_cast<pid_t>(__atomic_load_n(&member->thread, __ATOMIC_ACQUIRE));
        if (thread != 0) seen[count++] = {member, thread, gimbal::thread_time_ns(thread)};
    }
    const std::uint64_t until = ticks() + from_us(kGlance_us);
    while (ticks() < until) gimbal::relax();
    for (const Seen& one : std::span(seen).first(count)) {
        if (one.time == 0 || gimbal::thread_time_ns(one.thread) != one.time || reached(*one.member, meeting.name))
            continue;
        if (!is_asleep(one.thread)) return one.member;
        asleep = true;
    }
    return nullptr;
}

// @return whether somebody is missing still, from `next` on
bool still_missing(const gimbal_meeting& meeting, std::uint32_t& next) noexcept {
    while (next < meeting.size && !missing(meeting, next)) ++next;
    return next < meeting.size && !may_go_on(meeting.release);
}

// @return whom the core was lent to; nullptr: there is nobody to wait for here any more
gimbal_waiter* look_after(gimbal_waiter& self, const gimbal_meeting& meeting, std::uint64_t limit) noexcept {
    const std::uint64_t patience = from_us(kPatience_us);
    std::uint64_t look = ticks() + patience;
    for (std::uint32_t next = 0; still_missing(meeting, next); gimbal::relax()) {
        const std::uint64_t now = ticks();
        if (now < look) continue;
        if (now > limit || meeting.stop(meeting.host)) return nullptr;
        bool asleep = false;
        if (gimbal_waiter* const borrower = stranded(meeting, next, asleep)) {
            if (gimbal::LoanName const name = gimbal::begin_loan(*borrower, meeting)) {
                self.lent = name;
                return borrower;
            }
        }
        look = ticks() + (asleep ? from_us(kAsleep_us) : patience);
    }
    return nullptr;
}

}  // namespace

extern "C" {

int gimbal_lending(void) {
    return gimbal::options().lend ? 1 : 0;
}

void gimbal_wait_for(gimbal_waiter* self, const gimbal_meeting* meeting) {
    // Mostly the others are as good as there. Who is to be released looks at that alone: what others show stays theirs.
    std::uint32_t next = 0;
    for (int i = 0; i < kShort; ++i, gimbal::relax())
        if (meeting->release.word ? may_go_on(meeting->release) : !still_missing(*meeting, next)) return;
    const gimbal::OwnState own;
    const std::uint64_t limit = ticks() + from_us(static_cast<double>(meeting->limit_us));
    while (const gimbal_waiter* const borrower = look_after(*self, *meeting, limit)) {
        while (gimbal::stands(self->lent)) {
            if (reached(*borrower, meeting->name) || may_go_on(meeting->release) || ticks() >= limit ||
                meeting->stop(meeting->host))
                return;
            sched_yield();
        }
        // Loans were paused: who is still missing may be on no core again.
        self->lent = 0;
        gimbal::trace(gimbal::TraceKind::lend_end);
    }
}

void gimbal_waiter_arrived(gimbal_waiter* self, const gimbal_release* release) {
    const gimbal::LoanName borrowed = __atomic_load_n(&self->borrowed, __ATOMIC_RELAXED);
    if (borrowed && release->word) {
        gimbal_waiter_home(self);
    } else if (borrowed) {
        gimbal::await_loan(borrowed);
    }
    if (!self->lent) return;
    const gimbal::OwnState own;
    const std::uint64_t until = ticks() + from_us(kKept_us);
    while (release->word && gimbal::stands(self->lent) && !may_go_on(*release) && ticks() < until) sched_yield();
    gimbal::end_loan(self->lent);
    self->lent = 0;
    gimbal::trace(gimbal::TraceKind::lend_end);
}

void gimbal_waiter_home(gimbal_waiter* self) {
    gimbal::LoanName name = __atomic_load_n(&self->borrowed, __ATOMIC_RELAXED);
    if (!name) return;
    const gimbal::OwnState own;
    gimbal::end_loan(name);
    // Not before: the next lender would take the mask that it finds on the way for the thread's own.
    __atomic_compare_exchange_n(&self->borrowed, &name, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

}  // extern "C"
