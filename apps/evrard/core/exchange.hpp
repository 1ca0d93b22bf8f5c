// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace evrard {

/// How ranks share results. The simulation knows only this, so that it can be tested without MPI.
class Exchange {
public:
    virtual ~Exchange() = default;
    virtual int rank() const = 0;
    virtual int ranks() const = 0;

    /// Collective over all ranks: afterwards every rank holds every rank's block.
    /// @param items  all blocks one after the other; on entry the own block is filled
    /// @param item_bytes  bytes per item
    /// @param starts  [ranks + 1] bounds of the blocks, in items
    virtual void all_gather(void* items, std::size_t item_bytes, std::span<const std::size_t> starts) = 0;
};

/// One rank: nothing to share.
class SerialExchange final : public Exchange {
public:
    int rank() const override { return 0; }
    int ranks() const override { return 1; }
    void all_gather(void*, std::size_t, std::span<const std::size_t>) override {}
};

}  // namespace evrard
