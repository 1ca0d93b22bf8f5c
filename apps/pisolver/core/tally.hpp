// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "work.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pisolver {

/// What came of a step's iterations, as far as this rank knows: how often each was run, and what it gave.
class Tally {
public:
    /// @param range  the iterations whose results come here
    explicit Tally(Range range) : range_(range), done_(static_cast<std::size_t>(range.size())) {}

    /// Forget the step before.
    void clear();
    /// An iteration was run. @param iteration  in the range   @param pi  its result
    void add(std::int64_t iteration, double pi);

    Range range() const { return range_; }
    std::span<int> done() { return done_; }  ///< [range.size()] how often each was run
    std::span<const int> done() const { return done_; }
    double max_error() const { return max_error_; }
    /// Sum over iterations of a mix of (iteration, bits of its result), modulo 2^64: does not depend on their order.
    std::uint64_t checksum() const { return checksum_; }

private:
    Range range_;
    std::vector<int> done_;
    double max_error_ = 0.0;
    std::uint64_t checksum_ = 0;
};

/// @return the first iteration that was not run exactly once, as an index into `done`; -1: there is none
std::int64_t first_not_once(std::span<const int> done);

}  // namespace pisolver
