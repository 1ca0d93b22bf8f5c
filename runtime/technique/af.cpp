// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "technique/adaptive_list.hpp"
#include "technique/planned_technique.hpp"

namespace gimbal::technique {

namespace {

constexpr std::uint64_t kSampleChunks = 2;  // small chunks at first: one alone shows no variance
constexpr double kSamplesPerWorker = 64;    // their size: N / (64 P)

constexpr std::string_view kMafAliases[] = {"af-a"};

}  // namespace

/// Adaptive factoring: the chunk that a worker finishes, with high probability, before the optimal time of what
/// remains: with D = sum_j s_j^2 / m_j and T = 1 / sum_j (1 / m_j), (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 m_i).
/// Workers without figures count as the mean of the others; the first two chunks of each are small samples. Costs that
/// drift along the loop are outside its model: it takes what it has seen for what will come.
/// @cost O(P) per chunk
/// @source Banicescu, Liu 2000; test: tests/unit/technique/adaptive_test.cpp
std::uint64_t Af::size(const ChunkRequest& request) const noexcept {
    const auto workers = static_cast<double>(request.times.size());
    const WorkerTimes& own = request.times[request.worker];
    if (own.chunks() < kSampleChunks) {
        const double sample = std::ceil(static_cast<double>(request.iterations) / (kSamplesPerWorker * workers));
        return static_cast<std::uint64_t>(std::max(1.0, sample));
    }
    double spread = 0;  // D
    double speed = 0;   // sum of 1 / m
    double known = 0;
    for (const WorkerTimes& one : request.times) {
        const double mean = one.mean();
        if (mean <= 0) continue;
        spread += one.variance() / mean;
        speed += 1 / mean;
        ++known;
    }
    spread *= workers / known;
    speed *= workers / known;
    const double finish = static_cast<double>(request.remaining) / speed;  // T R
    const double size = (spread + 2 * finish - std::sqrt(spread * spread + 4 * spread * finish)) / (2 * own.mean());
    // LB4MPI's bound: while the samples are few they may show no variance where there is some.
    const double most = std::ceil(static_cast<double>(request.iterations) / (2 * workers));
    return static_cast<std::uint64_t>(std::max(1.0, std::min(std::ceil(size), most)));
}

constinit const ImmortalAf kAf{{.name = "af",
                                .aliases = {},
                                .family = "adaptive",
                                .summary = "Adaptive factoring: chunks from the mean and variance measured per worker.",
                                .parameter = kMinimumChunk,
                                .source = "Banicescu, Liu 2000"},
                               false};
constinit const ImmortalAf kMaf{{.name = "maf",
                                 .aliases = kMafAliases,
                                 .family = "adaptive",
                                 .summary = "As af; times include the scheduling.",
                                 .parameter = kMinimumChunk,
                                 .source = "LB4OMP (Korndoerfer et al. 2021)"},
                                true};

}  // namespace gimbal::technique
