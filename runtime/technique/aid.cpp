// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>

#include "technique/adaptive_list.hpp"
#include "technique/plan_builder.hpp"
#include "technique/planned_technique.hpp"

namespace gimbal::technique {

namespace {

constexpr double kAsymmetric = 0.8;       // part of the loop that is shared out by speed; the rest is dynamic
constexpr std::uint64_t kMaxSamples = 4;  // chunks after which a worker waits no longer for the figures of others
constexpr std::uint64_t kSamplesPerWorker = 64;  // small chunks: N / (64 P)

constexpr std::string_view kAliases[] = {"aid-hybrid"};

/// The worker's part of the team's speed; 0: it is not time to tell.
double part_of(const ChunkRequest& request) noexcept {
    const WorkerTimes& own = request.times[request.worker];
    if (own.chunks() == 0) return 0;
    const bool all = std::all_of(request.times.begin(), request.times.end(), [&](const WorkerTimes& one) {
        return &one == &own || one.shown(own.execution()).weighted_speed > 0;
    });
    if (!all && own.chunks() < kMaxSamples) return 0;
    return speed_weight(request.times, request.worker) / static_cast<double>(request.times.size());
}

}  // namespace

/// Asymmetric iteration distribution for unequal cores: small samples until every worker has been measured, but four at
/// most; then each worker's share of four fifths of the loop, in proportion to its speed; the last fifth dynamically,
/// in small chunks.
///
/// A worker takes its share by halves, by speeds measured anew, not all at once: a slow core and a place where
/// iterations are dear look the same in a sample, and half a share can still be made up for. What it cannot do: where
/// the dear iterations come first and the cheap ones are a large part of the loop, the first halves are still too much
/// (1.2 times the ideal if the second half of a loop costs next to nothing); factoring does better there.
/// @cost O(P) per chunk
/// @source Saez, Castro, Prieto-Matias 2020 (AID-hybrid; phases as in their AID-dynamic); test:
/// tests/unit/technique/aid_test.cpp
std::uint64_t Aid::size(const ChunkRequest& request) const noexcept {
    const std::uint64_t workers = request.times.size();
    const auto iterations = static_cast<double>(request.iterations);
    const auto remaining = static_cast<double>(request.remaining);
    const WorkerTimes& own = request.times[request.worker];
    const std::uint64_t sample = ceil_div(request.iterations, kSamplesPerWorker * workers);
    const std::uint64_t small = std::min(sample, ceil_div(request.remaining, 2 * workers));
    const double shared = remaining - (1 - kAsymmetric) * iterations;  // of the four fifths
    if (shared <= 0) return small;
    // Others' figures are looked at again when this worker has some of its own to add.
    const double weight = request.digested([&] { return std::array{part_of(request), 0.0, 0.0}; })[0];
    if (weight <= 0) return small;
    const double share = kAsymmetric * iterations * weight;
    const double wanted = (share - own.iterations()) / 2;
    const double size = std::min({wanted, shared, remaining * weight + 1});
    return size > 0 ? std::max(small, static_cast<std::uint64_t>(size)) : small;
}

constinit const Aid kAid{
    {.name = "aid",
     .aliases = kAliases,
     .family = "adaptive",
     .summary = "Asymmetric distribution: four fifths by the measured speed of the cores, the rest dynamically.",
     .parameter = kMinimumChunk,
     .source = "Saez, Castro, Prieto-Matias 2020"}};

}  // namespace gimbal::technique
