// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/loan.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "lending/thread_core.hpp"
#include "lending/wait_policy.hpp"
#include "trace/recorder.hpp"

namespace gimbal {

namespace {

// What a note's state says, beside the number of its loan.
enum Stage : std::uint64_t { free = 0, beginning = 1, standing = 2, ending = 3 };
constexpr std::uint64_t kStages = 4;

constexpr std::uint64_t kNotes = 64;  // loans at a time in one process

struct alignas(64) Note {
    std::atomic<std::uint64_t> state{kStages};  // number * kStages + stage; the first number is 1
    pid_t borrower = 0;
    gimbal_waiter* waiter = nullptr;  // the borrower's; such memory stays
    int core = 0;
    CoreMask mask;  // the borrower's own
};

std::array<Note, kNotes> notes;
std::atomic<std::uint64_t> loans{0};
std::atomic<int> pauses{0};

constexpr int kPauseTries = 200;
constexpr long kPauseTry_ns = 100'000;

// A note whose loan nobody else can mean. @return its number, or 0
std::uint64_t claim(Note& note) noexcept {
    std::uint64_t state = note.state.load(std::memory_order_relaxed);
    if (state % kStages != free) return 0;
    // What the last loan left in the note has been read. Partner: the release that freed it; for the order with a pause
    // see begin_loan().
    if (!note.state.compare_exchange_strong(state, state + beginning)) return 0;
    return state / kStages;
}

void release(Note& note, std::uint64_t number) noexcept {
    note.state.store((number + 1) * kStages + free, std::memory_order_release);
}

// @return whether it is the caller's now to end it
bool begin_to_end(Note& note, std::uint64_t state) noexcept {
    return note.state.compare_exchange_strong(state, state - standing + ending, std::memory_order_acq_rel);
}

// @return whether nobody is at it any more
bool end_for_pause(std::uint64_t place) noexcept {
    Note& note = notes[place];
    const timespec pause{.tv_sec = 0, .tv_nsec = kPauseTry_ns};
    for (int i = 0; i < kPauseTries; ++i) {
        const std::uint64_t state = note.state.load();
        if (state % kStages == free) return true;
        if (state % kStages == standing && begin_to_end(note, state)) {
            give_back(note.borrower, note.core, note.mask);
            // It may borrow again before it has come.
            LoanName name = state / kStages * kNotes + place;
            __atomic_compare_exchange_n(&note.waiter->borrowed, &name, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
            release(note, state / kStages);
            return true;
        }
        // Not usleep(): nobody is to be cancelled here.
        syscall(SYS_nanosleep, &pause, nullptr);
    }
    return false;
}

}  // namespace

LoanName begin_loan(gimbal_waiter& borrower, const gimbal_meeting& meeting) noexcept {
    const int core = sched_getcpu();
    if (core < 0 || core >= static_cast<int>(CoreMask::kMax)) return 0;
    std::uint64_t place = 0;
    std::uint64_t number = 0;
    while (place < kNotes && (number = claim(notes[place])) == 0) ++place;
    if (place == kNotes) return 0;
    Note& note = notes[place];
    const LoanName name = number * kNotes + place;
    LoanName none = 0;
    // Either this sees the pause, or who pauses sees that the note is taken.
    if (pauses.load() > 0) {
        release(note, number);
        return 0;
    }
    if (!__atomic_compare_exchange_n(&borrower.borrowed, &none, name, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
        release(note, number);
        return 0;
    }
    note.borrower = static_cast<pid_t>(__atomic_load_n(&borrower.thread, __ATOMIC_ACQUIRE));
    note.waiter = &borrower;
    note.core = core;
    // Either this sees that the borrower has come, and perhaps let the caller go on, or the borrower sees the loan: the
    // first of a team by the fence in gimbal_waiter_reach_first(), the others since it is the caller who lets them go.
    if (reached(borrower, meeting.name) || may_go_on(meeting.release) || note.borrower == 0 ||
        !note.mask.read(note.borrower) || !move_to(note.borrower, core, note.mask, is_unbound())) {
        // It may have seen the name: then it has taken it itself.
        LoanName given = name;
        __atomic_compare_exchange_n(&borrower.borrowed, &given, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        release(note, number);
        return 0;
    }
    // Partner: the compare_exchange in end_loan().
    note.state.store(number * kStages + standing, std::memory_order_release);
    loans.fetch_add(1, std::memory_order_relaxed);
    trace(TraceKind::lend_begin, static_cast<std::uint64_t>(core));
    return name;
}

void await_loan(LoanName name) noexcept {
    const Note& note = notes[name % kNotes];
    const std::uint64_t begins = name / kNotes * kStages + beginning;
    // Who lends is perhaps on this very core.
    while (note.state.load(std::memory_order_acquire) == begins) sched_yield();
}

void end_loan(LoanName name) noexcept {
    Note& note = notes[name % kNotes];
    const std::uint64_t number = name / kNotes;
    const std::uint64_t stands = number * kStages + standing;
    for (;;) {
        const std::uint64_t state = note.state.load(std::memory_order_acquire);
        if (state / kStages != number) return;
        if (state == stands && begin_to_end(note, state)) break;
        if (state != stands) sched_yield();  // the other side is at it, perhaps on this very core
    }
    if (note.borrower == this_thread()) {
        go_back(note.core, note.mask, is_unbound());
    } else if (note.mask.has(note.core)) {
        // It has its own mask already, and leaves the core when it does not run the program.
        note.state.store(stands, std::memory_order_release);
        return;
    } else {
        give_back(note.borrower, note.core, note.mask);
    }
    release(note, number);
}

bool stands(LoanName name) noexcept {
    return notes[name % kNotes].state.load(std::memory_order_acquire) / kStages == name / kNotes;
}

void restart_loans_in_child() noexcept {
    pauses.store(0, std::memory_order_relaxed);
    for (Note& note : notes) {
        const std::uint64_t state = note.state.load(std::memory_order_relaxed);
        if (state % kStages != free) release(note, state / kStages);
    }
}

}  // namespace gimbal

extern "C" {

int gimbal_loans_pause(void) {
    gimbal::pauses.fetch_add(1);
    bool quiet = true;
    for (std::uint64_t place = 0; place < gimbal::kNotes; ++place) quiet = gimbal::end_for_pause(place) && quiet;
    return quiet ? 1 : 0;
}

void gimbal_loans_resume(void) {
    gimbal::pauses.fetch_sub(1);
}

uint64_t gimbal_cores_lent(void) {
    return gimbal::loans.load(std::memory_order_relaxed);
}

}  // extern "C"
