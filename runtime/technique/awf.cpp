// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four variants of adaptive weighted factoring within one execution of a loop.
#include <algorithm>
#include <array>

#include "technique/adaptive_list.hpp"
#include "technique/plan_builder.hpp"
#include "technique/planned_technique.hpp"

namespace gimbal::technique {

/// AWF-B and AWF-D share out fac2's batches, AWF-C and AWF-E size every chunk anew as ceil(R / 2P); each worker's part
/// is in proportion to its speed so far. Times are execution alone (B, C), or execution and scheduling (D, E).
/// @cost O(P) per chunk
/// @source Carino, Banicescu 2008; test: tests/unit/technique/adaptive_test.cpp
std::uint64_t Awf::size(const ChunkRequest& request) const noexcept {
    const std::uint64_t workers = request.times.size();
    const std::uint64_t equal = batches_ ? request.batch_chunk : ceil_div(request.remaining, 2 * workers);
    // Others' figures are looked at again when this worker has some of its own to add.
    const double weight = request.digested([&] {
        return std::array{speed_weight(request.times, request.worker), 0.0, 0.0};
    })[0];
    const double part = weight * static_cast<double>(equal);
    const auto size = static_cast<std::uint64_t>(part + 0.5);
    // Whatever the weights, nobody takes more than half of what remains at once: they are guesses at first.
    return std::max<std::uint64_t>(1, std::min(size, ceil_div(request.remaining, 2)));
}

namespace {

constexpr std::string_view kSource = "Carino, Banicescu 2008";

}  // namespace

constinit const Awf kAwfB{{.name = "awf-b",
                           .aliases = {},
                           .family = "adaptive",
                           .summary = "Adaptive weighted factoring: batches shared out by measured speed.",
                           .parameter = kMinimumChunk,
                           .source = kSource},
                          true,
                          false};
constinit const Awf kAwfC{{.name = "awf-c",
                           .aliases = {},
                           .family = "adaptive",
                           .summary = "As awf-b, but every chunk is sized anew from what remains.",
                           .parameter = kMinimumChunk,
                           .source = kSource},
                          false,
                          false};
constinit const Awf kAwfD{{.name = "awf-d",
                           .aliases = {},
                           .family = "adaptive",
                           .summary = "As awf-b; times include the scheduling.",
                           .parameter = kMinimumChunk,
                           .source = kSource},
                          true,
                          true};
constinit const Awf kAwfE{{.name = "awf-e",
                           .aliases = {},
                           .family = "adaptive",
                           .summary = "As awf-c; times include the scheduling.",
                           .parameter = kMinimumChunk,
                           .source = kSource},
                          false,
                          true};

}  // namespace gimbal::technique
