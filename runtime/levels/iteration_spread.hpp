// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>

namespace gimbal::levels {

/// How far single iterations stray from what the cost profile says of their place: a profile has bins of many
/// iterations, and a heavy one among them decides how the last chunks end. Gathered from short chunks, taken as
/// independent.
/// @threads one at a time
class IterationSpread {
public:
    static constexpr std::uint64_t kLongest = 2;  ///< chunks of more iterations do not count

    /// A chunk has been timed. @param expected  by the profile [ticks]; chunks without one are ignored
    void add(std::uint64_t iterations, double time, double expected) noexcept {
        if (iterations == 0 || iterations > kLongest || !(expected > 0)) return;
        const double off = time / expected - 1;
        squares_ += off * off * static_cast<double>(iterations);
        ++chunks_;
    }

    /// Standard deviation of an iteration, relative to its mean; 0 while few have been seen.
    [[nodiscard]] double relative() const noexcept {
        return chunks_ < kFewest ? 0 : std::sqrt(squares_ / static_cast<double>(chunks_));
    }

private:
    static constexpr std::uint64_t kFewest = 32;

    double squares_ = 0;
    std::uint64_t chunks_ = 0;
};

}  // namespace gimbal::levels
