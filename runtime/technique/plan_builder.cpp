// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/plan_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gimbal::technique {
namespace {

// Formulas with square roots miss integers by a few units in the last place, differently from compiler to compiler; a
// plan must not depend on that.
constexpr double kRoundingError = 1e-12;

constexpr double kLimit = 18446744073709551616.0;  // 2^64

constexpr std::uint64_t kUsualSteps = 62;  // of a table: half a kilobyte, asked for at once

std::uint64_t saturated(double whole) noexcept {
    if (!(whole > 0)) return 0;
    return whole < kLimit ? static_cast<std::uint64_t>(whole) : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::uint64_t ceil_of(double size) noexcept {
    const double near = std::round(size);
    return saturated(std::abs(size - near) <= kRoundingError * std::abs(near) ? near : std::ceil(size));
}

std::uint64_t nearest_of(double size) noexcept {
    // Half goes up, as with std::round(), which is a call where processors may lack the instruction. From 2^53 on there
    // are no halves.
    const std::uint64_t below = saturated(size);
    return size - static_cast<double>(below) >= 0.5 && size < kLimit ? below + 1 : below;
}

bool usable(const IterationStatistics& statistics) noexcept {
    // A quotient sd / mean that overflows would be as useless as an infinite sd.
    return statistics.known && std::isfinite(statistics.mean) && statistics.mean > 0 && std::isfinite(statistics.sd) &&
           statistics.sd >= 0 && std::isfinite(statistics.overhead) && statistics.overhead >= 0 &&
           std::isfinite(statistics.sd / statistics.mean);
}

Plan constant_plan(const LoopShape& shape, Claim claim, std::uint64_t chunk) {
    Plan plan;
    plan.iterations = shape.iterations;
    plan.workers = static_cast<std::uint32_t>(workers_of(shape));
    plan.claim = claim;
    plan.chunk = std::max(chunk, min_chunk_of(shape));
    if (shape.iterations > 0) plan.chunk = std::min(plan.chunk, shape.iterations);
    plan.steps = ceil_div(shape.iterations, plan.chunk);
    return plan;
}

PlanBuilder::PlanBuilder(const LoopShape& shape) : min_chunk_(min_chunk_of(shape)) {
    plan_.iterations = shape.iterations;
    plan_.workers = static_cast<std::uint32_t>(workers_of(shape));
    plan_.claim = Claim::shared;
    plan_.starts.reserve(std::min(shape.iterations, kUsualSteps) + 1);
    plan_.starts.push_back(0);
}

void PlanBuilder::take(std::uint64_t size) {
    if (done()) return;
    if (plan_.steps == kTableSteps) min_chunk_ = std::max(min_chunk_, ceil_div(remaining(), kTailChunks));
    const std::uint64_t chunk = std::min(std::max(size, min_chunk_), remaining());
    plan_.starts.push_back(plan_.starts.back() + chunk);
    plan_.steps += 1;
}

void PlanBuilder::take_batch(std::uint64_t size) {
    for (std::uint32_t worker = 0; worker < plan_.workers && !done(); ++worker) take(size);
}

Plan PlanBuilder::finish() && {
    plan_.starts.shrink_to_fit();
    return std::move(plan_);
}

}  // namespace gimbal::technique
