// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "technique/adaptive_list.hpp"
#include "technique/plan_builder.hpp"
#include "technique/planned_technique.hpp"

namespace gimbal::technique {

namespace {

constexpr std::uint64_t kSampleChunks = 2;       // small chunks at first: one alone shows no variance
constexpr std::uint64_t kSamplesPerWorker = 64;  // their size: N / (64 P)

constexpr std::string_view kMafAliases[] = {"af-a"};

/// D, T and 1 / 2m of the worker that asks. Others' figures are looked at again when it has some of its own to add.
std::array<double, 3> figures(const ChunkRequest& request) noexcept {
    const WorkerTimes& own = request.times[request.worker];
    double spread = own.dispersion();
    double speed = own.speed();
    double known = 1;
    for (std::size_t i = 0; i < request.times.size(); ++i) {
        if (i == request.worker) continue;
        const WorkerTimes::Shown other = request.times[i].shown(own.execution());
        if (other.speed <= 0) continue;
        spread += other.dispersion;
        speed += other.speed;
        ++known;
    }
    const double scale = static_cast<double>(request.times.size()) / known;  // the rest counts as the mean of these
    return {spread * scale, 1 / (speed * scale), own.speed() / 2};
}

}  // namespace

/// Adaptive factoring: the chunk that a worker finishes, with high probability, before the optimal time of what
/// remains: with D = sum_j s_j^2 / m_j and T = 1 / sum_j (1 / m_j), (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 m_i).
/// Workers without figures count as the mean of the others; the first two chunks of each are small samples. Costs that
/// drift along the loop are outside its model: it takes what it has seen for what will come.
/// @cost O(P) per chunk
/// @source Banicescu, Liu 2000; test: tests/unit/technique/adaptive_test.cpp
std::uint64_t Af::size(const ChunkRequest& request) const noexcept {
    const std::uint64_t workers = request.times.size();
    const WorkerTimes& own = request.times[request.worker];
    if (own.chunks() < kSampleChunks) return ceil_div(request.iterations, kSamplesPerWorker * workers);
    const auto [spread, time, half_speed] = request.digested([&] { return figures(request); });
    const double finish = static_cast<double>(request.remaining) * time;  // T R
    const double size = (spread + 2 * finish - std::sqrt(spread * (spread + 4 * finish))) * half_speed;
    // LB4MPI's bound: while the samples are few they may show no variance where there is some.
    const std::uint64_t most = ceil_div(request.iterations, 2 * workers);
    if (!(size < static_cast<double>(most))) return most;
    const auto whole = static_cast<std::uint64_t>(std::max(size, 0.0));
    return std::max<std::uint64_t>(1, whole + (static_cast<double>(whole) < size ? 1 : 0));
}

constinit const Af kAf{{.name = "af",
                        .aliases = {},
                        .family = "adaptive",
                        .summary = "Adaptive factoring: chunks from the mean and variance measured per worker.",
                        .parameter = kMinimumChunk,
                        .source = "Banicescu, Liu 2000"},
                       false};
constinit const Af kMaf{{.name = "maf",
                         .aliases = kMafAliases,
                         .family = "adaptive",
                         .summary = "As af; times include the scheduling.",
                         .parameter = kMinimumChunk,
                         .source = "LB4OMP (Korndoerfer et al. 2021)"},
                        true};

}  // namespace gimbal::technique
