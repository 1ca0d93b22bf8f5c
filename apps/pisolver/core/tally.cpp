// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tally.hpp"

#include "common/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace pisolver {

void Tally::clear() {
    std::fill(done_.begin(), done_.end(), 0);
    max_error_ = 0.0;
    checksum_ = 0;
}

void Tally::add(std::int64_t iteration, double pi) {
    ++done_[static_cast<std::size_t>(iteration - range_.first)];
    const double error = std::abs(pi - std::numbers::pi);
    if (!(error <= max_error_)) max_error_ = std::isnan(error) ? HUGE_VAL : error;
    checksum_ += apps::mix(apps::mix(static_cast<std::uint64_t>(iteration)) ^ std::bit_cast<std::uint64_t>(pi));
}

std::int64_t first_not_once(std::span<const int> done) {
    const auto found = std::find_if(done.begin(), done.end(), [](int times) { return times != 1; });
    return found == done.end() ? -1 : found - done.begin();
}

}  // namespace pisolver
