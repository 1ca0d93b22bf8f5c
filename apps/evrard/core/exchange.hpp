// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranges.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace evrard {

/// How ranks share out work and share results. The simulation knows only this, so that it can be tested without MPI.
class Exchange {
public:
    virtual ~Exchange() = default;

    /// Share out a loop: over all ranks, run() is called with ranges that together hold each iteration exactly once.
    /// All ranks call it for the same loops in the same order; it is no barrier.
    /// @param loop  name, the same in every step   @param count  iterations, the same on all ranks
    /// @param run   called on the calling thread
    virtual void share_out(const char* loop, std::size_t count, const std::function<void(Range)>& run) = 0;

    /// Collective over all ranks: afterwards every rank holds every rank's items.
    /// @param items  by iteration; on entry those of the own ranges are filled
    /// @param item_bytes  bytes per item   @param count  number of items on all ranks together
    /// @param own  ranges that share_out() gave this rank
    /// @errors std::runtime_error, on all ranks alike, if the ranks' ranges do not hold each item exactly once
    virtual void all_gather(void* items, std::size_t item_bytes, std::size_t count, std::span<const Range> own) = 0;
};

/// One rank: it runs all, and has nothing to share.
class SerialExchange final : public Exchange {
public:
    void share_out(const char*, std::size_t count, const std::function<void(Range)>& run) override { run({0, count}); }
    void all_gather(void*, std::size_t, std::size_t, std::span<const Range>) override {}
};

}  // namespace evrard
