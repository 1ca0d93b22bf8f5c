// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "steal/message.hpp"

namespace gimbal::mpi {

/// How many bytes the messages of a kind took per item so far, to take buffers that need not grow.
class BytesPerItem {
public:
    /// With an eighth to spare; 0: not known yet. At most twice what was ever seen: what one item took says little of
    /// billions of them, and a buffer can still grow.
    [[nodiscard]] std::size_t expected(std::int64_t items) const noexcept {
        return static_cast<std::size_t>(std::min(1.125 * bytes_ * static_cast<double>(items), 2 * largest_));
    }
    void saw(std::size_t bytes, std::int64_t items) noexcept {
        const auto size = static_cast<double>(bytes);
        bytes_ = size / static_cast<double>(items);
        largest_ = std::max(largest_, size);
    }

private:
    double bytes_ = 0;
    double largest_ = 0;
};

/// Buffers that are not in use. Those that several executions in a row did not need are freed; so what is kept are as
/// many as were in use at once, and in the steady state nothing is allocated.
/// @threads one
class BufferPool {
public:
    /// The smallest one that holds so much, else the largest. @param bytes  0: not known
    [[nodiscard]] std::unique_ptr<StealBuffer> take(std::size_t bytes);
    void put(std::unique_ptr<StealBuffer> buffer);

    /// An execution ends.
    void trim();

    /// Kept and not in use [bytes].
    [[nodiscard]] std::size_t kept() const noexcept;

private:
    static constexpr std::uint64_t kPatience = 4;  // executions
    std::vector<std::unique_ptr<StealBuffer>> free_;
    std::uint64_t now_ = 0;  // execution
};

}  // namespace gimbal::mpi
