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

LoanName begin_loan(gimbal_waiter& borrower) noexcept {
    const int core = sched_getcpu();
    if (core < 0 || core >= static_cast<int>(CoreMask::kMost)) return 0;
    for (std::uint64_t place = 0; place < kNotes; ++place) {
        Note& note = notes[place];
        const std::uint64_t number = claim(note);
        if (number == 0) continue;
        const LoanName name = number * kNotes + place;
        const auto thread = static_cast<pid_t>(borrower.thread);
        LoanName none = 0;
        if (!__atomic_compare_exchange_n(&borrower.borrowed, &none, name, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            release(note, number);
            return 0;
        }
        note.borrower = thread;
        note.core = core;
        if (!note.mask.read(thread) || !move_to(thread, core, note.mask)) {
            // The borrower may have seen the name: then it takes it back itself.
            LoanName given = name;
            __atomic_compare_exchange_n(&borrower.borrowed, &given, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
            release(note, number);
            return 0;
        }
        // Partner: the compare_exchange in end_loan().
        note.state.store(number * kStages + standing, std::memory_order_release);
        loans.fetch_add(1, std::memory_order_relaxed);
        return name;
    }
    return 0;
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
