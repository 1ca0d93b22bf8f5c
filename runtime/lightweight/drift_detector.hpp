// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gimbal {

/// Notices that a settled loop no longer costs what it did when it settled.
///
/// Medians of eight executions are compared with the cost at settling, which the first such median corrects if it
/// agrees: the best of many candidates looked better than it is. Searches are spaced apart: each time one ends, twice
/// as long as the last time must pass before it may speak, so n executions see at most log2(n / 8) + 1 searches.
/// @threads guarded by its owner
class DriftDetector {
public:
    static constexpr double kTolerance = 0.2;  ///< relative change that is not drift
    static constexpr std::size_t kWindow = 8;  ///< executions per median [count]

    /// A search has ended; this is what its best cost.
    void settle(double cost) noexcept;

    /// The cost of a settled execution.
    /// @return how far the costs have drifted, |median / reference - 1|, if more than kTolerance and the waiting time
    ///         has passed; else 0
    /// @cost O(1)
    [[nodiscard]] double learn(double cost) noexcept;

private:
    std::array<double, kWindow> window_{};
    std::size_t filled_ = 0;
    double reference_ = 0;
    bool corrected_ = false;
    std::uint64_t waiting_ = 0;          ///< executions until it may speak
    std::uint64_t next_wait_ = kWindow;  ///< after the next search
};

}  // namespace gimbal
