// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/ledger.hpp"

#include <algorithm>

#include "gimbal/rank_loop.h"

namespace gimbal::mpi {

namespace {

constexpr double kLate = 2;          // a chunk may take so many times as long as others of its size...
constexpr double kGrace_s = 1e-3;    // ...and so much longer
constexpr double kUnknown_s = 1e-2;  // while nobody has finished anything

bool is_late(const Ledger::Entry& entry, double ticks_per_iter, std::uint64_t now) {
    const auto size = static_cast<double>(entry.end - entry.first);
    const double allowed = ticks_per_iter > 0 ? kLate * size * ticks_per_iter + kGrace_s / gimbal_rank_tick_s()
                                              : kUnknown_s / gimbal_rank_tick_s();
    return now - entry.when > static_cast<std::uint64_t>(allowed);
}

}  // namespace

void Ledger::add(std::uint64_t first, std::uint64_t end, std::uint32_t rank) {
    entries_.push_back({.first = first, .end = end, .rank = rank, .copies = 0, .when = gimbal_rank_ticks()});
}

bool Ledger::cut(std::uint64_t first, std::uint64_t piece_end, std::uint32_t rank) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.first == first; });
    if (found == entries_.end() || found->rank != rank) return false;
    found->when = gimbal_rank_ticks();
    if (found->end == piece_end) return true;
    const Entry rest{.first = piece_end, .end = found->end, .rank = rank, .copies = 0, .when = found->when};
    found->end = piece_end;
    found->copies = 0;
    entries_.insert(found + 1, rest);
    return true;
}

bool Ledger::finish(std::uint64_t first, std::uint64_t end) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.first == first && entry.end == end; });
    if (found == entries_.end()) return false;
    finished_ += end - first;
    entries_.erase(found);
    return true;
}

bool Ledger::again(std::uint32_t rank, double ticks_per_iter, Entry& entry) {
    const std::uint64_t now = gimbal_rank_ticks();
    Entry* best = nullptr;
    for (Entry& candidate : entries_) {
        if (candidate.rank == rank || !is_late(candidate, ticks_per_iter, now)) continue;
        if (!best || candidate.copies < best->copies) best = &candidate;
    }
    if (!best) return false;
    best->rank = rank;
    best->when = now;
    ++best->copies;
    entry = *best;
    return true;
}

bool Ledger::has(std::uint32_t rank) const noexcept {
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.rank == rank; });
}

bool Ledger::late(std::uint32_t rank, double ticks_per_iter) const {
    const std::uint64_t now = gimbal_rank_ticks();
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return entry.rank == rank && is_late(entry, ticks_per_iter, now); });
}

void Ledger::abandon(std::uint32_t rank) noexcept {
    for (Entry& entry : entries_)
        if (entry.rank == rank) entry.when = 0;
}

}  // namespace gimbal::mpi
