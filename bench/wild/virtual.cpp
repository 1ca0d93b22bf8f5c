// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop under one schedule in virtual time, on as many workers as wanted.
// usage: virtual KIND WORKERS STEPS SCHEDULE    KIND: jump, random, bump, speeds; SCHEDULE: auto, or a
// technique[,chunk] Prints one line of JSON with the loop time of every step [ns].
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "experiment/experiment.hpp"
#include "gimbal/error.hpp"
#include "gimbal/random.hpp"
#include "simulate/work.hpp"

namespace {

namespace simulate = gimbal::simulate;

constexpr std::uint64_t kIterations = 100000;
constexpr double kIteration_ns = 10000;  // mean cost
constexpr std::size_t kBins = 2048;
constexpr std::uint64_t kPeriod = 50;  // steps between jumps

double chance(std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(gimbal::random_bits(1, a, b) >> 11U) * 0x1p-53;
}

/// jump: a stretch of 20 times the cost is elsewhere after every 50 steps; bump: it goes round once in all steps;
/// random: costs are drawn anew in every step, bin by bin and sixteenth by sixteenth; speeds: all cost the same.
class Wild final : public simulate::Application {
public:
    Wild(const std::string& kind, std::uint32_t count, std::uint64_t how_long) : costs_(kBins) {
        name = kind;
        workers = count;
        iterations = kIterations;
        steps = how_long;
        loops = {kind};
    }

    [[nodiscard]] const simulate::Work& work(std::size_t /*loop*/, std::uint64_t step) override {
        if (made_ && (name == "speeds" || (name == "jump" && step % kPeriod != 0))) return work_;
        for (std::size_t k = 0; k < kBins; ++k) costs_[k] = cost(k, step);
        work_.assign(costs_, iterations, kIteration_ns * static_cast<double>(iterations));
        made_ = true;
        return work_;
    }

private:
    [[nodiscard]] double cost(std::size_t bin, std::uint64_t step) const {
        if (name == "random") {
            const double block = 0.5 + chance(bin / (kBins / 16), 2 * step);
            return -block * std::log(1 - chance(bin, 2 * step + 1));
        }
        if (name == "speeds") return 1;
        const double centre = name == "jump"
                                  ? chance(7, step / kPeriod)
                                  : std::fmod(0.3 + static_cast<double>(step) / static_cast<double>(steps), 1.0);
        constexpr double kWidth = 0.05;
        double distance = std::abs((static_cast<double>(bin) + 0.5) / static_cast<double>(kBins) - centre);
        distance = std::min(distance, 1 - distance) / kWidth;
        return 1 + 19 * std::exp(-distance * distance / 2);
    }

    std::vector<double> costs_;  // [bins]
    simulate::BinnedWork work_;
    bool made_ = false;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) {
        std::fprintf(stderr, "usage: virtual KIND WORKERS STEPS SCHEDULE\n");
        return 2;
    }
    try {
        const std::string schedule = arguments[4];
        gimbal::set_option("background", "off");  // else it would depend on this machine when predictions arrive
        gimbal::set_option("schedule", schedule == "auto" ? "runtime" : schedule);
        Wild application(arguments[1], static_cast<std::uint32_t>(std::atoi(arguments[2])),
                         static_cast<std::uint64_t>(std::atol(arguments[3])));
        simulate::Experiment experiment;
        experiment.application = &application;
        experiment.costs = simulate::drawing_costs(false);
        experiment.disturbances.chunk_noise = 0.01;
        experiment.disturbances.worker_noise = 0.002;
        if (application.name == "speeds") {
            experiment.disturbances.drift = 0.3;
            experiment.disturbances.drift_steps = 100;
        }
        experiment.seed = 1;
        std::printf("{\"ns\": [");
        simulate::run_experiment(experiment, [](const simulate::ExperimentStep& seen) {
            std::printf("%s%.0f", seen.step->step == 0 ? "" : ", ", seen.step->loop_time);
        });
        std::printf("]}\n");
    } catch (const gimbal::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
