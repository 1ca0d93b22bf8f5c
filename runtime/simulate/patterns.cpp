// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "simulate/application_parts.hpp"
#include "simulate/chance.hpp"
#include "simulate/work.hpp"

namespace gimbal::simulate {

namespace {

constexpr std::size_t kBins = 2048;
constexpr double kStretches = 64;

/// Small loops whose imbalance is known: uniform; triangular, which rises from 0; decreasing, which falls to 0; flip,
/// which rises until half time and then falls; bump, a stretch of 20 times the cost that goes round once; jump, the
/// same at a place by chance that changes every 50 steps; random, 64 stretches whose costs are drawn anew in each step.
class Pattern final : public Application {
public:
    explicit Pattern(const ApplicationRequest& request) {
        settle(*this, request, {.workers = 8, .iterations = 100000, .steps = 200});
        Parameters parameters(request);
        const double cost_us = parameters.number("cost_us", 10, 1e-3, 1e6);
        if (name == "jump") {
            every_ = static_cast<std::uint64_t>(parameters.number("every", 50, 1, 1e9));
            width_ = parameters.number("width", 0.05, 1e-3, 0.5);
        }
        parameters.finish();
        seed_ = request.seed;
        total_ = 1000 * cost_us * static_cast<double>(iterations);
        costs_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBins, iterations)));
    }

    [[nodiscard]] const Work& work(std::size_t /*loop*/, std::uint64_t step) override {
        const double time = static_cast<double>(step) / static_cast<double>(steps);
        const bool late = time >= 0.5;
        const std::uint64_t turn = name == "jump" ? step / every_ : step;
        const bool moves = name == "bump" || name == "random" || (name == "jump" && turn != turn_);
        if (made_ && !moves && !(name == "flip" && late != late_)) return work_;
        for (std::size_t k = 0; k < costs_.size(); ++k) {
            const double x = (static_cast<double>(k) + 0.5) / static_cast<double>(costs_.size());
            if (name == "random") {
                costs_[k] = exponential_of(random_bits(seed_, turn, static_cast<std::uint64_t>(x * kStretches)));
            } else if (name == "jump") {
                costs_[k] = bump(x - static_cast<double>(random_bits(seed_, turn) >> 11U) * 0x1p-53);
            } else {
                costs_[k] = cost(x, time);
            }
        }
        turn_ = turn;
        work_.assign(costs_, iterations, total_);
        made_ = true;
        late_ = late;
        return work_;
    }

private:
    [[nodiscard]] double cost(double x, double time) const noexcept {
        if (name == "triangular") return x;
        if (name == "decreasing") return 1 - x;
        if (name == "flip") return time < 0.5 ? x : 1 - x;
        if (name != "bump") return 1;
        return bump(x - std::fmod(0.3 + time, 1.0));
    }

    [[nodiscard]] double bump(double distance) const noexcept {
        distance = std::abs(distance);
        distance = std::min(distance, 1 - distance) / width_;
        return 1 + 19 * std::exp(-distance * distance / 2);
    }

    double total_ = 0;
    double width_ = 0.05;      // of the bump
    std::uint64_t every_ = 1;  // steps between jumps
    std::uint64_t turn_ = 0;   // jumps so far
    std::uint64_t seed_ = 0;
    std::vector<double> costs_;  // [bins]
    BinnedWork work_;
    bool made_ = false;
    bool late_ = false;
};

}  // namespace

std::unique_ptr<Application> make_pattern(const ApplicationRequest& request) {
    return std::make_unique<Pattern>(request);
}

}  // namespace gimbal::simulate
