// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

namespace gimbal::pin {

/// Factor on lambda: shrinks while nothing happens, and is whole again after a drop. Exploring costs about n lambda
/// displaced threads a step, which is worth it only while there is something to find.
/// @threads the owner's  @cost O(1)
/// @source reference on placement, 1b; test: tests/unit/pinning/decide/guard_test.cpp
class Anneal {
public:
    /// One window without a drop.
    void calm() noexcept { factor_ = std::max(kLeast, factor_ * kShrink); }
    void restart() noexcept { factor_ = 1; }
    [[nodiscard]] double factor() const noexcept { return factor_; }

private:
    static constexpr double kShrink = 0.8;
    static constexpr double kLeast = 0.1;
    double factor_ = 1;
};

}  // namespace gimbal::pin
