// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "experiment/application_parts.hpp"
#include "simulate/chance.hpp"
#include "simulate/work.hpp"

namespace gimbal::simulate {

namespace {

constexpr std::size_t kBins = 2048;
constexpr double kStretches = 64;
constexpr double kMin = 0.05;  // of normal costs, in means

/// Small loops whose imbalance is known: uniform; triangular, which rises from 0; decreasing, which falls to 0; flip,
/// which rises until half time and then falls; bump, a stretch of 20 times the cost that goes round once; jump, the
/// same at a place by chance that changes every 50 steps; turns, the same at some places in turn; random, 64 stretches
/// whose costs are drawn anew in each step; normal and power, costs drawn once for each iteration: a bell, or many
/// light ones and a few that are heavy.
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
        if (name == "turns") places_ = static_cast<std::uint64_t>(parameters.number("places", 2, 1, 1e9));
        if (name == "normal") cov_ = parameters.number("cov", 0.3, 0, 1);
        if (name == "power") {
            exponent_ = parameters.number("exponent", 1.5, 0.1, 100);
            heaviest_ = parameters.number("heaviest", 100, 1, 1e9);
        }
        parameters.finish();
        seed_ = request.seed;
        total_ = 1000 * cost_us * static_cast<double>(iterations);
        const bool each = name == "normal" || name == "power";
        costs_.resize(static_cast<std::size_t>(each ? iterations : std::min<std::uint64_t>(kBins, iterations)));
    }

    [[nodiscard]] const Work& work(std::size_t /*loop*/, std::uint64_t step) override {
        const double time = static_cast<double>(step) / static_cast<double>(steps);
        const std::uint64_t turn = frame(step);
        if (made_ && turn == turn_) return work_;
        for (std::size_t k = 0; k < costs_.size(); ++k) {
            const double x = (static_cast<double>(k) + 0.5) / static_cast<double>(costs_.size());
            if (name == "random") {
                costs_[k] = exponential_of(random_bits(seed_, turn, static_cast<std::uint64_t>(x * kStretches)));
            } else if (name == "jump") {
                costs_[k] = bump(x - static_cast<double>(random_bits(seed_, turn) >> 11U) * 0x1p-53);
            } else if (name == "turns") {
                costs_[k] = bump(x - (static_cast<double>(turn) + 0.5) / static_cast<double>(places_));
            } else if (name == "normal") {
                costs_[k] = std::max(kMin, 1 + cov_ * bell_of(random_bits(seed_, k)));
            } else if (name == "power") {
                costs_[k] = std::min(heaviest_, std::pow(uniform_of(random_bits(seed_, k)), -1 / exponent_));
            } else {
                costs_[k] = cost(x, time);
            }
        }
        turn_ = turn;
        work_.assign(costs_, iterations, total_);
        made_ = true;
        return work_;
    }

    [[nodiscard]] std::uint64_t frame(std::uint64_t step) const noexcept override {
        if (name == "bump" || name == "random") return step;
        if (name == "jump") return step / every_;
        if (name == "turns") return step % places_;
        return name == "flip" && 2 * step >= steps ? 1 : 0;
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
    std::uint64_t places_ = 1;
    std::uint64_t turn_ = 0;  // frame that work_ shows
    double cov_ = 0;          // of normal
    double exponent_ = 1;     // of power: a cost is above x times the least with probability x^-exponent
    double heaviest_ = 1;     // where that is cut off, in least costs
    std::uint64_t seed_ = 0;
    std::vector<double> costs_;  // [bins]
    BinnedWork work_;
    bool made_ = false;
};

}  // namespace

std::unique_ptr<Application> make_pattern(const ApplicationRequest& request) {
    return std::make_unique<Pattern>(request);
}

}  // namespace gimbal::simulate
