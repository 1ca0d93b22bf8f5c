// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "technique/adaptive_list.hpp"
#include "technique/planned_technique.hpp"

namespace gimbal::technique {

namespace {

constexpr double kAsymmetric = 0.8;        // part of the loop that is shared out by speed; the rest is dynamic
constexpr std::uint64_t kMostSamples = 4;  // chunks after which a worker waits no longer for the figures of others
constexpr double kSamplesPerWorker = 64;   // small chunks: N / (64 P)

constexpr std::string_view kAliases[] = {"aid-hybrid"};

bool all_measured(std::span<const WorkerTimes> times) noexcept {
    return std::all_of(times.begin(), times.end(), [](const WorkerTimes& one) { return one.weighted_speed() > 0; });
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
    const auto workers = static_cast<double>(request.times.size());
    const auto iterations = static_cast<double>(request.iterations);
    const auto remaining = static_cast<double>(request.remaining);
    const WorkerTimes& own = request.times[request.worker];
    const double sample = std::ceil(iterations / (kSamplesPerWorker * workers));
    const double small = std::max(1.0, std::min(sample, std::ceil(remaining / (2 * workers))));
    const bool measured = own.chunks() >= kMostSamples || (own.chunks() > 0 && all_measured(request.times));
    const double shared = remaining - (1 - kAsymmetric) * iterations;  // of the four fifths
    double size = small;
    if (measured && shared > 0) {
        const double weight = speed_weight(request.times, request.worker) / workers;
        const double share = kAsymmetric * iterations * weight;
        const double wanted = (share - own.iterations()) / 2;
        size = std::max(small, std::min({wanted, shared, std::ceil(remaining * weight)}));
    }
    return static_cast<std::uint64_t>(size);
}

constinit const ImmortalAid kAid{
    {.name = "aid",
     .aliases = kAliases,
     .family = "adaptive",
     .summary = "Asymmetric distribution: four fifths by the measured speed of the cores, the rest dynamically.",
     .parameter = kMinimumChunk,
     .source = "Saez, Castro, Prieto-Matias 2020"}};

}  // namespace gimbal::technique
