// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/work_rates.hpp"

#include <algorithm>

#include "measure/slowness.hpp"

namespace gimbal {

namespace {

constexpr std::uint64_t kFewest = 3;  // executions

/// Of an even number the higher of the two in the middle: of two workers one can be slow.
double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Work per time of each that worked; its median is what counts as usual. @return 0: fewer than two did
double usual_rate(std::span<const double> work, std::span<const double> time) {
    std::vector<double> rates;
    for (std::size_t i = 0; i < work.size(); ++i)
        if (work[i] > 0 && time[i] > 0) rates.push_back(work[i] / time[i]);
    return rates.size() < 2 ? 0 : median_of(std::move(rates));
}

}  // namespace

LossByCause loss_by_cause(std::span<const double> work, std::span<const double> time, double least_usual) {
    const double usual = usual_rate(work, time);
    if (!(usual > 0)) return {};
    const auto workers = static_cast<double>(work.size());
    LossByCause loss;
    double longest = 0, sum = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
        const bool slow = work[i] > 0 && work[i] < least_usual * usual * time[i];
        // What it would have taken at the usual rate. Rates that are alike are noise of what work is.
        const double usually = slow ? work[i] / usual : time[i];
        longest = std::max(longest, usually);
        sum += usually;
        loss.time += time[i] / workers;
        loss.rate += (time[i] - usually) / workers;
    }
    loss.work = longest - sum / workers;
    return loss;
}

LossByCause WorkRates::add(std::span<const ChunkCosts* const> workers, std::span<const ComparedCosts> compared) {
    const bool counted =
        std::all_of(workers.begin(), workers.end(), [](const ChunkCosts* costs) { return costs->instructions > 0; });
    const bool predicted =
        std::any_of(compared.begin(), compared.end(), [](const ComparedCosts& worker) { return worker.predicted > 0; });
    if (!counted && !predicted) return {};
    if (sums_.size() != workers.size() || by_instructions_ != counted) {
        sums_.assign(workers.size(), {});
        executions_ = 0;
        by_instructions_ = counted;
    }
    std::vector<double> work(workers.size()), time(workers.size());
    for (std::size_t i = 0; i < workers.size(); ++i) {
        work[i] = counted ? static_cast<double>(workers[i]->instructions) : compared[i].predicted;
        time[i] = compared[i].time;
        int& processor = sums_[i].processor;
        if (processor != workers[i]->processor) processor = processor == kUnknown ? workers[i]->processor : kSeveral;
        if (!(work[i] > 0)) continue;
        sums_[i].work += work[i];
        sums_[i].time += time[i];
    }
    ++executions_;
    return loss_by_cause(work, time, least_usual());
}

double WorkRates::least_usual() const noexcept {
    constexpr double kByInstructions = 0.8;  // those of other iterations take other times
    return by_instructions_ ? kByInstructions : 1 / (1 + kAlikeTimes);
}

std::vector<double> WorkRates::rates() const {
    std::vector<double> work, time;
    for (const Sums& sums : sums_) {
        work.push_back(sums.work);
        time.push_back(sums.time);
    }
    const double usual = usual_rate(work, time);
    std::vector<double> rates(sums_.size(), 0.0);
    if (executions_ < kFewest || !(usual > 0)) return rates;
    for (std::size_t i = 0; i < rates.size(); ++i)
        if (work[i] > 0 && time[i] > 0) rates[i] = work[i] / time[i] / usual;
    return rates;
}

}  // namespace gimbal
