// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gimbal/technique.hpp"

namespace gimbal {

/// How GoogleTest names a technique: not by its address, which changes from run to run.
inline void PrintTo(const Technique* technique, std::ostream* out) {
    *out << technique->info().name;
}

}  // namespace gimbal

namespace gimbal_test {

using Sizes = std::vector<std::uint64_t>;

inline const gimbal::Technique& technique_named(std::string_view name) {
    const gimbal::Technique* technique = gimbal::find_technique(name);
    if (!technique) throw std::runtime_error("no technique " + std::string(name));
    return *technique;
}

/// Chunk sizes of a plan, step by step; only for plans that are not weighted.
inline Sizes sizes_of(const gimbal::Plan& plan) {
    Sizes sizes;
    for (std::uint64_t k = 0; k < plan.steps; ++k) sizes.push_back(plan.first(k + 1) - plan.first(k));
    return sizes;
}

inline Sizes sizes_of(std::string_view name, const gimbal::LoopShape& shape) {
    return sizes_of(technique_named(name).plan(shape));
}

/// `groups` of {size, how often}, spelled out.
inline Sizes expand(const std::vector<std::pair<std::uint64_t, int>>& groups) {
    Sizes sizes;
    for (const auto& [size, times] : groups) sizes.insert(sizes.end(), static_cast<std::size_t>(times), size);
    return sizes;
}

inline std::string describe(const gimbal::LoopShape& shape) {
    return "N=" + std::to_string(shape.iterations) + " P=" + std::to_string(shape.workers) +
           " chunk=" + std::to_string(shape.chunk) + " sd=" + std::to_string(shape.statistics.sd) +
           (shape.statistics.known ? " (known)" : "") + " weights=" + std::to_string(shape.weights.size());
}

inline bool same_plan(const gimbal::Plan& a, const gimbal::Plan& b) {
    return a.iterations == b.iterations && a.workers == b.workers && a.claim == b.claim && a.steps == b.steps &&
           a.chunk == b.chunk && a.starts == b.starts && a.shares == b.shares;
}

/// The techniques whose plans are complete before the loop starts.
inline std::vector<const gimbal::Technique*> planned_techniques() {
    std::vector<const gimbal::Technique*> planned;
    for (const gimbal::Technique* technique : gimbal::techniques())
        if (!technique->adaptive()) planned.push_back(technique);
    return planned;
}

}  // namespace gimbal_test
