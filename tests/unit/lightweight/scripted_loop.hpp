// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include "lightweight/tuner.hpp"

namespace gimbal::test {

/// A loop whose time is a function of the static fraction, times noise: what a tuner sees instead of a machine.
class ScriptedLoop {
public:
    /// @param time   loop time for a fraction   @param noise  deviation of a factor around 1
    explicit ScriptedLoop(std::function<double(double)> time, double noise = 0, std::uint64_t seed = 1)
        : time_(std::move(time)), noise_(noise), random_(seed) {}

    void becomes(std::function<double(double)> time) { time_ = std::move(time); }

    /// N and P of the executions that follow; the scripted time is for 16000 iterations on 16 workers.
    void shape(std::uint64_t iterations, std::uint32_t workers) {
        iterations_ = iterations;
        workers_ = workers;
    }

    [[nodiscard]] FractionTrial execute(double fraction) {
        const double factor = 1 + noise_ * std::normal_distribution<double>()(random_);
        const double scale = static_cast<double>(iterations_) / 1000.0 / workers_;
        const double time = time_(fraction) * factor * scale;
        return {.fraction = fraction, .loop_time = time, .iterations = iterations_, .workers = workers_};
    }

    /// One execution under the tuner.
    void step(FractionTuner& tuner) { tuner.learn(execute(tuner.fraction())); }

    /// Executions until the tuner settles, at most `most`.
    int settle(FractionTuner& tuner, int most = 1000) {
        int executions = 0;
        for (; !tuner.settled() && executions < most; ++executions) step(tuner);
        return executions;
    }

    /// How often the tuner leaves "settled" during so many executions.
    int restarts(FractionTuner& tuner, int executions) {
        int count = 0;
        for (int i = 0; i < executions; ++i) {
            const bool before = tuner.settled();
            step(tuner);
            if (before && !tuner.settled()) ++count;
        }
        return count;
    }

private:
    std::function<double(double)> time_;
    double noise_;
    std::mt19937_64 random_;
    std::uint64_t iterations_ = 16000;
    std::uint32_t workers_ = 16;
};

/// A V with its minimum, 1000, at `best`; all static or all dynamic costs up to half as much again.
inline std::function<double(double)> valley(double best, double level = 1000) {
    return [=](double fraction) { return level * (1 + 0.5 * std::abs(fraction - best)); };
}

}  // namespace gimbal::test
