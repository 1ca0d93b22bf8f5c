// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "technique/adaptive_list.hpp"
#include "technique/planned_technique.hpp"

namespace gimbal::technique {

namespace {

// h as a part of mu, at least: only logarithms of it matter this far down, and they must exist.
constexpr double kMinOverhead = 1e-9;

// Where a share of what remains takes no longer than so many dispatches, the rest of others' chunks decides nothing
// that is worth the cache lines in which it stands.
constexpr double kShareToAsk = 128;

/// What others are working on, in iterations.
struct InProgress {
    double drawn = 0;        // sizes of their chunks
    double outstanding = 0;  // what they have not yet run of them, a chunk of k taking h + k mu
};

/// The worker that asks has nothing in progress, whatever its figures still say.
InProgress in_progress(const ChunkRequest& request, double mean, double overhead) noexcept {
    const auto now = static_cast<double>(request.now);
    const auto began = overhead < now ? static_cast<std::uint64_t>(now - overhead) : 0;
    InProgress sum;
    for (std::size_t i = 0; i < request.times.size(); ++i) {
        if (i == request.worker) continue;
        sum.drawn += request.times[i].outstanding(request.now, 0);
        sum.outstanding += request.times[i].outstanding(began, mean);
    }
    return sum;
}

}  // namespace

/// Hagerup's bold strategy: an equal share of all that is still to be run, less what its time may stray, plus what a
/// larger chunk saves in later dispatches. It starts boldly, with chunks near R/P, and tells a share from what others
/// still have in progress, not only from what nobody has taken.
///
/// a = 2 (sigma/mu)^2, b = 8a ln 8a, c1 = h/(mu ln 2), c2 = sqrt(2 pi) c1. With Q = R/P > 1 (else 1), W what is still
/// to be run, M what is not finished, both in iterations: t = max(R, W)/P, v = Q/(b + Q), d = R/(1 + 1/ln Q - v). The
/// chunk is t if d <= c2, else min(t, t + max(0, c1 w) + s/2 - sqrt(s (t + s/4))) with s = a ln(d/c2) (1 + M/(P^2 t))
/// and w = ln(b v ln Q), or ln ln Q if b <= 0.
/// @pre statistics known: plan() sees to it. h = 0 counts as a billionth of mu. sigma = 0: an equal share, as tap.
/// @cost O(P) per chunk, three logarithms
/// @source Hagerup 1997; test: tests/unit/technique/bold_test.cpp
std::uint64_t Bold::size(const ChunkRequest& request) const noexcept {
    const auto workers = static_cast<double>(request.times.size());
    const auto remaining = static_cast<double>(request.remaining);
    const double q = remaining / workers;
    const double mean = request.statistics.mean;
    if (!(q > 1) || !(mean > 0)) return 1;
    const double overhead = std::max(request.statistics.overhead, kMinOverhead * mean);
    const double spread = request.statistics.sd / mean;
    const double a = 2 * spread * spread;
    const auto [b, c1, c2] = request.digested([=] {
        const double one = overhead / (mean * std::numbers::ln2);
        return std::array{a > 0 ? 8 * a * std::log(8 * a) : 0, one, std::sqrt(2 * std::numbers::pi) * one};
    });
    const bool asks = q * mean > kShareToAsk * overhead;
    const InProgress others = asks ? in_progress(request, mean, overhead) : InProgress{};
    const double unfinished = remaining + others.drawn;
    const double share = (remaining + others.outstanding) / workers;  // t
    const double log_q = std::log(q);
    const double v = q / (b + q);
    const double d = remaining / (1 + 1 / log_q - v);
    double size = share;
    if (d > c2) {
        const double s = a * std::log(d / c2) * (1 + unfinished / (share * workers * workers));
        const double w = b > 0 ? std::log(b * v * log_q) : std::log(log_q);
        size = std::min(share, share + std::max(0.0, c1 * w) + s / 2 - std::sqrt(s * (share + s / 4)));
    }
    return size >= 1 ? static_cast<std::uint64_t>(std::min(size, remaining)) : 1;
}

constinit const Bold kBold{{.name = "bold",
                            .aliases = {},
                            .family = "adaptive",
                            .summary = "Bold: large chunks at first, by mean, deviation and work in progress.",
                            .parameter = kMinimumChunk,
                            .source = "Hagerup 1997",
                            .needs_statistics = true}};

}  // namespace gimbal::technique
