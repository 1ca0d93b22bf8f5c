// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "experiment/application_parts.hpp"
#include "experiment/evrard_profile.hpp"
#include "simulate/work.hpp"

namespace gimbal::simulate {

namespace {

constexpr double kInteraction_ns = 150;  // so that a particle takes about 0.2 ms, as in a code with more physics
constexpr double kCores = 40;            // of the seed's runs, however many ranks share them

/// The gravity loop of the Evrard collapse: recorded costs of 9000 particles, stretched. Workers are ranks of several
/// threads; what a small chunk costs there is mostly that it leaves threads without an iteration. Workers that are the
/// threads of a rank already have none of their own.
/// @source seed 000, section 5.2.3: P = 4 ranks of 10 threads
class Evrard final : public Application {
public:
    explicit Evrard(const ApplicationRequest& request) {
        loops = {"gravity"};
        settle(*this, request, {.workers = 4, .iterations = 1000000, .steps = 250});
        ranks = request.ranks == 0;
        Parameters parameters(request);
        const double usual = ranks ? std::max(1.0, kCores / workers) : 1;
        const double threads = parameters.number("threads", usual, 1, 1024);
        parameters.finish();
        std::vector<BinnedWork> frames(kEvrardFrames);
        for (std::size_t k = 0; k < kEvrardFrames; ++k) {
            const std::vector<double> costs(kEvrardCosts[k], kEvrardCosts[k] + kEvrardBins);
            double sum = 0;
            for (const double cost : costs) sum += cost;
            frames[k].assign(costs, iterations, kInteraction_ns * sum / kEvrardBins * static_cast<double>(iterations));
        }
        work_ = KeyframedWork(std::move(frames), {kEvrardAt.begin(), kEvrardAt.end()});
        team_ = std::make_unique<TeamWork>(work_, static_cast<std::uint32_t>(threads));
    }

    [[nodiscard]] const Work& work(std::size_t /*loop*/, std::uint64_t step) override {
        work_.move_to(steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 0);
        return *team_;
    }

private:
    KeyframedWork work_;
    std::unique_ptr<TeamWork> team_;
};

}  // namespace

std::unique_ptr<Application> make_evrard(const ApplicationRequest& request) {
    return std::make_unique<Evrard>(request);
}

}  // namespace gimbal::simulate
