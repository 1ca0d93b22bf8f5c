// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/placement.hpp"

#include <atomic>

#include "base/own_state.hpp"
#include "gimbal/per_rank.hpp"

namespace gimbal {

namespace {
// All relaxed: code, and figures by themselves, publish nothing.
std::atomic<InstructionReader> the_reader{nullptr};
PerRank<std::atomic<std::uint64_t>> moves;
PerRank<std::atomic<std::uint64_t>> changes;
}  // namespace

void set_instruction_reader(InstructionReader reader) noexcept {
    the_reader.store(reader, std::memory_order_relaxed);
}

std::uint64_t thread_instructions() noexcept {
    const InstructionReader reader = the_reader.load(std::memory_order_relaxed);
    if (!reader) return 0;
    const OwnState own;  // it opens and reads files
    return reader();
}

void note_placement_move() noexcept {
    moves.here().fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t placement_moves() noexcept {
    return moves.here().load(std::memory_order_relaxed);
}

void note_schedule_change() noexcept {
    changes.here().fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t schedule_changes() noexcept {
    return changes.here().load(std::memory_order_relaxed);
}

}  // namespace gimbal
