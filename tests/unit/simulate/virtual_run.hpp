// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gimbal/technique.hpp"
#include "simulate/event_loop.hpp"
#include "simulate/work.hpp"

namespace gimbal_test {

/// Work that remembers which iterations were asked for.
class WatchedWork final : public gimbal::simulate::Work {
public:
    using Work::time;
    explicit WatchedWork(const std::vector<double>& costs) : listed_(costs), ran_(costs.size(), 0) {}

    [[nodiscard]] double time(gimbal::Range range) const noexcept override {
        ++chunks_;
        for (std::uint64_t i = range.first; i < range.end; ++i) ++ran_[i];
        return listed_.time(range);
    }
    /// How often each iteration ran. [N]
    [[nodiscard]] const std::vector<unsigned>& ran() const { return ran_; }
    [[nodiscard]] std::uint64_t chunks() const { return chunks_; }

private:
    gimbal::simulate::ListedWork listed_;
    mutable std::vector<unsigned> ran_;
    mutable std::uint64_t chunks_ = 0;
};

inline std::vector<double> constant_costs(std::size_t iterations, double cost) {
    return std::vector<double>(iterations, cost);
}

/// Costs of 100 ticks on average that fall along the loop, with a ripple.
inline std::vector<double> rough_costs(std::size_t iterations) {
    std::vector<double> costs(iterations);
    for (std::size_t i = 0; i < iterations; ++i) {
        const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(iterations);
        costs[i] = 200 * (1 - x) * (1 + 0.3 * std::sin(97.0 * static_cast<double>(i)));
    }
    return costs;
}

/// A plan as a first execution would have it, with statistics for those that want them.
inline gimbal::Plan plan_of(const gimbal::Technique& technique, std::uint64_t iterations, std::uint32_t workers,
                            std::uint64_t chunk = 0) {
    gimbal::LoopShape shape{.iterations = iterations, .workers = workers, .chunk = chunk};
    if (technique.info().needs_statistics) shape.statistics = {100, 60, 5, true};
    return technique.plan(shape);
}

inline const gimbal::Technique& named(std::string_view name) {
    const gimbal::Technique* technique = gimbal::find_technique(name);
    EXPECT_NE(technique, nullptr) << name;
    return *technique;
}

/// A config that notes nothing.
inline gimbal::ExecutionConfig config_of(const gimbal::Technique& technique) {
    gimbal::ExecutionConfig config;
    config.schedule.technique = &technique;
    return config;
}

}  // namespace gimbal_test
