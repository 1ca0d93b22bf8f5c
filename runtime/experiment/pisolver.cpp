// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "experiment/application_parts.hpp"
#include "simulate/chance.hpp"
#include "simulate/work.hpp"

namespace gimbal::simulate {

namespace {

constexpr double kMeanSteps = 680000;  // of the midpoint rule in one iteration
// So that 1500 steps of 500000 iterations take the seed's 501 s on 200 workers (its table 5.3): 134 us an iteration.
constexpr double kStep_ns = 0.1965;

/// Normal, cut off at one deviation either side: the seed's workers have between mean - sd and mean + sd.
double cut_normal(std::uint64_t seed, std::uint64_t key) noexcept {
    for (std::uint64_t attempt = 0;; attempt += 2) {
        const double x = 2 * uniform_of(random_bits(seed, key, attempt)) - 1;
        if (uniform_of(random_bits(seed, key, attempt + 1)) < std::exp(-x * x / 2)) return x;
    }
}

/// Pi by the midpoint rule, once in each iteration, with numbers of steps that differ by worker (block) or by iteration
/// (iid); the same in every time step.
/// @source seed 000, section 5.2.1; "supernormal" is read as a normal cut off, of deviation 0.54 p
class PiSolver final : public Application {
public:
    explicit PiSolver(const ApplicationRequest& request) {
        settle(*this, request, {.workers = 200, .iterations = 500000, .steps = 1500});
        ranks = request.ranks == 0;
        Parameters parameters(request);
        const double imbalance = parameters.number("imbalance", 10, 0, 100) / 100;
        const bool block = parameters.word("dist", {"block", "iid"}) == 0;
        parameters.finish();
        std::vector<double> costs(block ? workers : iterations);
        double sum = 0;
        for (std::size_t i = 0; i < costs.size(); ++i) {
            costs[i] = kMeanSteps * kStep_ns * (1 + imbalance * cut_normal(request.seed, i));
            sum += costs[i];
        }
        const double total = sum * static_cast<double>(iterations) / static_cast<double>(costs.size());
        work_.assign(costs, iterations, total);
    }

    [[nodiscard]] const Work& work(std::size_t /*loop*/, std::uint64_t /*step*/) override { return work_; }
    [[nodiscard]] std::uint64_t frame(std::uint64_t /*step*/) const noexcept override { return 0; }

private:
    BinnedWork work_;
};

}  // namespace

std::unique_ptr<Application> make_pisolver(const ApplicationRequest& request) {
    return std::make_unique<PiSolver>(request);
}

}  // namespace gimbal::simulate
