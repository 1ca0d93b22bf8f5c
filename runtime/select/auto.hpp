// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>

#include "select/portfolio.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// `auto`: feedback-guided blocks first, and what the simulation says may beat them. It is what users get.
/// @errors std::bad_alloc
/// @param background  predictions on a thread of their own
[[nodiscard]] std::unique_ptr<Selector> make_auto(std::uint64_t seed, bool background = true);

/// `simulate`: the same method over a portfolio of the user's; whatever is predicted to be the fastest runs first.
/// @param portfolio  not empty
[[nodiscard]] std::unique_ptr<Selector> make_simulate(const Portfolio& portfolio, std::uint64_t seed,
                                                      bool golden_chunk = false, bool background = true);

}  // namespace gimbal
