// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/recorded.hpp"

#include <algorithm>
#include <utility>

namespace gimbal::simulate {

namespace {

/// Costs that are constant within chunks of any size.
class ChunkedWork final : public Work {
public:
    using Work::time;
    explicit ChunkedWork(RecordedExecution execution) : ends_(std::move(execution.ends)), until_{0} {
        until_.reserve(execution.costs.size() + 1);
        for (const double cost : execution.costs) until_.push_back(until_.back() + cost);
    }

    [[nodiscard]] std::uint64_t iterations() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
    [[nodiscard]] double time(Range range) const noexcept override { return before(range.end) - before(range.first); }

private:
    [[nodiscard]] double before(std::uint64_t iteration) const noexcept {
        if (iteration >= iterations()) return until_.back();
        const auto chunk =
            static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), iteration) - ends_.begin());
        const std::uint64_t first = chunk > 0 ? ends_[chunk - 1] : 0;
        const double part = static_cast<double>(iteration - first) / static_cast<double>(ends_[chunk] - first);
        return until_[chunk] + part * (until_[chunk + 1] - until_[chunk]);
    }

    std::vector<std::uint64_t> ends_;
    std::vector<double> until_;  // [chunks + 1] cost of all chunks before
};

class Recorded final : public Application {
public:
    Recorded(std::vector<RecordedLoop> recorded, std::uint32_t team, std::uint64_t wanted) {
        name = "trace";
        workers = team;
        for (RecordedLoop& loop : recorded) {
            std::vector<ChunkedWork>& works = works_.emplace_back();
            for (RecordedExecution& execution : loop.executions) works.emplace_back(std::move(execution));
            for (const ChunkedWork& work : works) iterations = std::max(iterations, work.iterations());
            recorded_steps_ = std::max<std::uint64_t>(recorded_steps_, works.size());
            loops.push_back(std::move(loop.name));
        }
        for (std::size_t loop = 0; loop < works_.size(); ++loop) {
            for (std::uint64_t step = 0; step < recorded_steps_; ++step)
                same_trips = same_trips && trip(loop, step) == iterations;
        }
        steps = wanted > 0 ? wanted : recorded_steps_;
    }

    [[nodiscard]] const Work& work(std::size_t loop, std::uint64_t step) override { return works_[loop][frame(step)]; }
    [[nodiscard]] std::uint64_t trip(std::size_t loop, std::uint64_t step) const noexcept final {
        return frame(step) < works_[loop].size() ? works_[loop][frame(step)].iterations() : 0;
    }
    [[nodiscard]] std::uint64_t frame(std::uint64_t step) const noexcept final { return step % recorded_steps_; }

private:
    std::vector<std::vector<ChunkedWork>> works_;  // [loops][executions]
    std::uint64_t recorded_steps_ = 1;
};

}  // namespace

std::unique_ptr<Application> make_recorded(std::vector<RecordedLoop> loops, std::uint32_t workers,
                                           std::uint64_t steps) {
    return std::make_unique<Recorded>(std::move(loops), workers, steps);
}

}  // namespace gimbal::simulate
