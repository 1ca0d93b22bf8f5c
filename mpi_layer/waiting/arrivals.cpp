// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arrivals.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "messages.hpp"
#include "node.hpp"

namespace gimbal::waiting {

/// Whether this rank's call cannot end before that one has come.
/// @param below_self  it stands before this rank in the communicator
bool Gathering::awaits(int slot, bool below_self) const noexcept {
    if (slot == self_) return false;
    switch (kind_) {
        case Kind::all:
        case Kind::creation:
            return true;
        case Kind::from_root:
            return slot == root_;
        case Kind::to_root:
            return self_ == root_;
        case Kind::lower:
            return below_self;
        default:
            return false;
    }
}

bool Gathering::has_come(int slot) noexcept {
    // Sequentially consistent: partner of Arrival::come().
    return comm_.arrival(slot).calls.load(std::memory_order_seq_cst) >= number_ ||
           node().rank(slot).left.load(std::memory_order_relaxed) != 0;
}

bool Gathering::all_awaited_have_come() noexcept {
    bool below = true;
    for (const int slot : comm_.members()) {
        below &= slot != self_;
        if (awaits(slot, below) && !has_come(slot)) return false;
    }
    return true;
}

bool Gathering::is_there() noexcept {
    // Ended meanwhile.
    if (!comm_.has_arrivals() || all_awaited_have_come()) return true;
    // Others may wait for what only this rank's MPI can do, as it would inside the call.
    make_progress();
    return false;
}

bool Gathering::has_ended_without_others() noexcept {
    return comm_.has_arrivals() && !all_awaited_have_come();
}

bool Gathering::note_polls(int slot) noexcept {
    try {
        if (polls_before_.empty()) polls_before_.resize(static_cast<std::size_t>(node().slots()));
    } catch (const std::bad_alloc&) {
        return false;
    }
    // One more, as 0 is for what was never looked at.
    const std::uint64_t now = node().rank(slot).polls.load(std::memory_order_relaxed) + 1;
    const std::uint64_t before = std::exchange(polls_before_[static_cast<std::size_t>(slot)], now);
    return before != 0 && before != now;
}

/// Also where those that are awaited have been in other calls of MPI since the last look, or have gone on asking
/// without one that waits: they may wait for what this rank does after this call, which MPI need not make wait (counts
/// of 0).
bool Gathering::is_hopeless() noexcept {
    bool below = true, all_inside = true;
    std::uint64_t entered = 0;
    for (const int slot : comm_.members()) {
        below &= slot != self_;
        if (has_come(slot)) continue;
        if (!node().is_alive(slot)) return true;
        if (!awaits(slot, below)) continue;
        all_inside &= note_polls(slot) || node().rank(slot).inside.load(std::memory_order_relaxed) != 0;
        entered += node().rank(slot).entered.load(std::memory_order_relaxed);
    }
    const bool same = all_inside && entered == entered_before_;
    entered_before_ = entered;
    return same || patience_.double_if_over();
}

bool Gathering::all_have_come(bool up_to_self) noexcept {
    for (const int slot : comm_.members()) {
        if (!has_come(slot)) return false;
        if (up_to_self && slot == self_) break;
    }
    return true;
}

void Gathering::wake_others() noexcept {
    if (kind_ == Kind::neighbours) return;
    if (kind_ == Kind::from_root ? self_ != root_ : !all_have_come(kind_ == Kind::lower)) return;
    for (const int slot : comm_.members()) {
        if (slot == self_ || (kind_ == Kind::to_root && slot != root_)) continue;
        node().wake(slot);
    }
}

void Gathering::look(Visit& visit) noexcept {
    std::uint64_t last_ns = 0, awaited_ns = 0;
    bool below = true, complete = true;
    for (const int slot : comm_.members()) {
        below &= slot != self_;
        const std::uint64_t stamp = slot == self_ ? visit.begin_ns : comm_.arrival(slot).stamp_of(number_);
        complete &= stamp != 0;
        if (stamp > last_ns) {
            last_ns = stamp;
            visit.last_slot = slot;
        }
        if (awaits(slot, below)) awaited_ns = std::max(awaited_ns, stamp);
    }
    visit.slack_ns = awaited_ns > visit.begin_ns ? awaited_ns - visit.begin_ns : 0;
    visit.known = comm_.on_one_node();
    visit.seen = complete && comm_.on_one_node();
    visit.last_is_self = visit.last_slot == self_;
}

}  // namespace gimbal::waiting
