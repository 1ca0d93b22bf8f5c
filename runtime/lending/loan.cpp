// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/loan.hpp"

#include <sched.h>

#include <array>
#include <atomic>

#include "lending/thread_core.hpp"

namespace gimbal {

namespace {

// What a note's state says, beside the number of its loan.
enum Stage : std::uint64_t { free = 0, beginning = 1, standing = 2, ending = 3 };
constexpr std::uint64_t kStages = 4;

constexpr std::uint64_t kNotes = 64;  // loans at a time in one process

struct alignas(64) Note {
    std::atomic<std::uint64_t> state{kStages};  // number * kStages + stage; the first number is 1
    pid_t borrower = 0;
    int core = 0;
    CoreMask mask;  // the borrower's own
};

std::array<Note, kNotes> notes;
std::atomic<std::uint64_t> loans{0};

// A note whose loan nobody else can mean. @return its number, or 0
std::uint64_t claim(Note& note) noexcept {
    std::uint64_t state = note.state.load(std::memory_order_relaxed);
    if (state % kStages != free) return 0;
    // Acquire: what the last loan left in the note has been read. Partner: the release that freed it.
    if (!note.state.compare_exchange_strong(state, state + beginning, std::memory_order_acquire)) return 0;
    return state / kStages;
}

void release(Note& note, std::uint64_t number) noexcept {
    note.state.store((number + 1) * kStages + free, std::memory_order_release);
}

}  // namespace

LoanName begin_loan(gimbal_waiter& borrower, const gimbal_meeting& meeting) noexcept {
    const int core = sched_getcpu();
    if (core < 0 || core >= static_cast<int>(CoreMask::kMost)) return 0;
    std::uint64_t place = 0;
    std::uint64_t number = 0;
    while (place < kNotes && (number = claim(notes[place])) == 0) ++place;
    if (place == kNotes) return 0;
    Note& note = notes[place];
    const LoanName name = number * kNotes + place;
    LoanName none = 0;
    if (!__atomic_compare_exchange_n(&borrower.borrowed, &none, name, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
        release(note, number);
        return 0;
    }
    note.borrower = static_cast<pid_t>(__atomic_load_n(&borrower.thread, __ATOMIC_ACQUIRE));
    note.core = core;
    // Either this sees that the borrower has come, and perhaps let the caller go on, or the borrower, which looks after
    // it has said so, sees the loan.
    if (reached(borrower, meeting.name) || may_go_on(meeting.release) || note.borrower == 0 ||
        !note.mask.read(note.borrower) || !move_to(note.borrower, core, note.mask)) {
        // It may have seen the name: then it has taken it itself.
        LoanName given = name;
        __atomic_compare_exchange_n(&borrower.borrowed, &given, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        release(note, number);
        return 0;
    }
    // Partner: the compare_exchange in end_loan().
    note.state.store(number * kStages + standing, std::memory_order_release);
    loans.fetch_add(1, std::memory_order_relaxed);
    return name;
}

void end_loan(LoanName name) noexcept {
    Note& note = notes[name % kNotes];
    const std::uint64_t number = name / kNotes;
    for (;;) {
        std::uint64_t state = note.state.load(std::memory_order_acquire);
        if (state / kStages != number) return;
        if (state % kStages != standing) {
            sched_yield();  // the other side is at it, perhaps on this very core
            continue;
        }
        if (!note.state.compare_exchange_strong(state, number * kStages + ending, std::memory_order_acq_rel)) continue;
        move_away(note.borrower, note.core, note.mask);
        release(note, number);
        return;
    }
}

bool stands(LoanName name) noexcept {
    return notes[name % kNotes].state.load(std::memory_order_acquire) / kStages == name / kNotes;
}

}  // namespace gimbal

extern "C" uint64_t gimbal_cores_lent(void) {
    return gimbal::loans.load(std::memory_order_relaxed);
}
