// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "steal/letter.hpp"

namespace gimbal::mpi {

/// Buffers that are not in use. In the steady state nothing is allocated, and no more is kept than was in use at once.
/// @threads one
class BufferPool {
public:
    /// The smallest one that holds so much, else the largest.
    /// @param bytes  0: not known yet, the largest
    [[nodiscard]] std::unique_ptr<StealBuffer> take(std::size_t bytes);
    void put(std::unique_ptr<StealBuffer> buffer);

    /// An execution ends: free what is beyond what it, or half of what an earlier one, used at once.
    void trim();

    /// Kept and not in use [bytes].
    [[nodiscard]] std::size_t kept() const noexcept { return kept_; }

private:
    std::vector<std::unique_ptr<StealBuffer>> free_;
    std::size_t kept_ = 0;     // capacities in free_
    std::size_t outside_ = 0;  // capacities of those in use, as they were when taken
    std::size_t peak_ = 0;     // most in use at once in this execution
    std::size_t allowed_ = 0;
};

}  // namespace gimbal::mpi
