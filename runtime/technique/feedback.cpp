// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "measure/cost_profile.hpp"
#include "technique/fac2.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// f_s where nobody says more. In the simulation of the test, more lets a drift show that the profile follows late.
constexpr double kStaticShare = 0.85;
/// Own pieces over all workers, and per worker: enough for the next profile to see the shape of the loop.
constexpr std::uint64_t kPieces = 128;
constexpr std::uint64_t kMinPieces = 8;
/// From so many workers on, so many pieces in all: a worker of 512 has one, which a rank draws with one message.
constexpr std::uint64_t kManyWorkers = 64;
constexpr std::uint64_t kPiecesOfMany = 512;
constexpr std::uint64_t kMaxPieces = 64;
/// The last chunks of the tail: so many would make it up per worker.
constexpr double kTailPieces = 32;
/// No step is made whose drawing costs more than this part of it,
constexpr double kDispatchShare = 0.01;
/// and none that is drawn from the own block so that others can steal what is left: that is for the rare execution.
constexpr double kInsuranceShare = 0.0025;
/// Draws from an own block, at most: where one worker's block turns out to cost as much as P of them, a draw of it is a
/// sixteenth of a worker's share, in larger teams than 32 P / 512 of it.
constexpr double kPartsPerWorker = 16;
constexpr double kMaxParts = 512;
/// With fewer there is little to be stolen, and what entering and leaving take more shows: blocks of some 40 us.
constexpr double kMinParts = 4;
constexpr double kUsualParts = 64;  // where the cost of drawing is not known
/// Own pieces of larger teams would not fit the table.
constexpr std::uint64_t kMaxWorkers = kTableSteps / (2 * kMinPieces);

/// Cuts a loop by what its iterations cost.
class CostCutter {
public:
    explicit CostCutter(const LoopShape& shape)
        : shape_(shape), profile_(*shape.profile), n_(static_cast<double>(shape.iterations)), plan_(shape) {
        if (usable(shape.statistics) && shape.statistics.overhead > 0) {
            const double dispatch = shape.statistics.overhead / (shape.statistics.mean * n_) * profile_.total();
            least_cost_ = dispatch / kDispatchShare;
        }
        grain_ = std::max<std::uint64_t>(1, ceil_div(shape.iterations, kMaxGrains));
    }

    /// The first iterations that cost `static_cost`: a block for each worker, cut into pieces of equal cost.
    void own_part(double static_cost) {
        const std::uint64_t workers = workers_of(shape_);
        const std::uint64_t pieces = shape_.whole_blocks      ? 1
                                     : workers < kManyWorkers ? std::clamp(kPieces / workers, kMinPieces, kMaxPieces)
                                                              : std::max<std::uint64_t>(kPiecesOfMany / workers, 1);
        const std::vector<double> ends = shares(workers);
        own_.reserve(workers + 1);
        blocks_.reserve(workers);
        own_.push_back(0);
        for (std::uint64_t worker = 0; worker < workers; ++worker) {
            std::uint64_t end = iteration_at(ends[worker] * static_cost);
            if (end != shape_.iterations) end -= end % grain_;
            // What is too little for a step goes to the next worker.
            if (end < at_ + min_chunk_of(shape_) && end != shape_.iterations) end = at_;
            block(end, pieces);
            own_.push_back(steps_);
            blocks_.push_back({blocks_.empty() ? 0 : blocks_.back().end, ceil_div(at_, grain_)});
        }
        const double block = static_cost / static_cast<double>(workers);
        const double worth = block / least_cost_ * (kInsuranceShare / kDispatchShare);
        parts_ = least_cost_ > 0
                     ? std::clamp(worth, 1.0, std::min(kPartsPerWorker * static_cast<double>(workers), kMaxParts))
                     : kUsualParts;
        part_cost_ = block / parts_;
    }

    /// What remains, first come: factoring on cost, down to steps of `floor`, and none much longer than that, or
    /// than draws from an own block: what the profile does not know may lie here, too.
    void shared_part(double floor) {
        const auto workers = static_cast<double>(workers_of(shape_));
        const double most = part_cost_ > 0 && parts_ >= kMinParts ? 2 * std::max(part_cost_, floor) : profile_.total();
        floor = std::max(floor, least_cost_);
        while (!plan_.done()) {
            const double cost = cost_before(at_);
            const double wanted = std::max(std::min((profile_.total() - cost) / (2 * workers), most), floor);
            take_until(std::max(step_at(cost + wanted), at_ + 1));
        }
    }

    [[nodiscard]] Plan finish() && {
        Plan plan = std::move(plan_).finish();
        plan.claim = Claim::hybrid;
        plan.own = std::move(own_);
        if (plan.own.back() == 0 || parts_ < kMinParts) return plan;
        plan.grain = grain_;
        plan.queues = std::move(blocks_);
        plan.rules = {.parts = static_cast<std::uint64_t>(parts_), .steals_half = true};
        return plan;
    }

private:
    [[nodiscard]] double cost_before(std::uint64_t iteration) const noexcept {
        return profile_.before(static_cast<double>(iteration) / n_);
    }
    [[nodiscard]] std::uint64_t iteration_at(double cost) const noexcept {
        return std::min(nearest_of(profile_.position(cost) * n_), shape_.iterations);
    }
    /// The same for the ends of steps, which come one after another.
    [[nodiscard]] std::uint64_t step_at(double cost) noexcept {
        return std::min(nearest_of(profile_.position_from(cost, bin_) * n_), shape_.iterations);
    }

    /// Where each worker's part of the static cost ends, in [0, 1]; by weight if there are weights.
    [[nodiscard]] std::vector<double> shares(std::uint64_t workers) const {
        std::vector<double> ends(workers);
        const bool weighted = shape_.weights.size() == workers;
        double sum = 0;
        for (std::uint64_t k = 0; k < workers; ++k) {
            const double weight = weighted ? shape_.weights[k] : 1;
            sum += std::isfinite(weight) && weight > 0 ? weight : 0;
            ends[k] = sum;
        }
        for (std::uint64_t k = 0; k < workers; ++k) {
            ends[k] = sum > 0 ? ends[k] / sum : static_cast<double>(k + 1) / static_cast<double>(workers);
        }
        return ends;
    }

    void block(std::uint64_t end, std::uint64_t pieces) {
        if (end <= at_) return;
        const double from = cost_before(at_);
        const double cost = cost_before(end) - from;
        const std::uint64_t least = min_chunk_of(shape_);
        pieces = std::min(pieces, std::max<std::uint64_t>((end - at_) / least, 1));
        if (least_cost_ > 0)
            pieces = std::min(pieces, std::max<std::uint64_t>(nearest_of(std::floor(cost / least_cost_)), 1));
        for (std::uint64_t piece = 1; piece < pieces; ++piece) {
            const double part = static_cast<double>(piece) / static_cast<double>(pieces);
            const std::uint64_t cut = step_at(from + part * cost);
            if (cut < at_ + least) continue;
            if (cut > end - least) break;
            take_until(cut);
        }
        take_until(end);
    }

    void take_until(std::uint64_t end) {
        plan_.take(end - at_);
        at_ = shape_.iterations - plan_.remaining();
        steps_ += 1;
    }

    const LoopShape& shape_;
    const CostProfile& profile_;
    double n_;
    double least_cost_ = 0;  // of a step
    PlanBuilder plan_;
    std::uint64_t at_ = 0;  // first iteration that is not planned
    std::size_t bin_ = 0;   // of the profile, which step_at() has reached
    std::uint64_t steps_ = 0;
    std::vector<std::uint64_t> own_;
    std::uint64_t grain_ = 1;    // of the queues [iterations]
    std::vector<Range> blocks_;  // [P] the same as own_, in grains
    double parts_ = 1;           // draws from a block
    double part_cost_ = 0;       // of one of them; 0: there are no blocks
};

/// Feedback-guided blocks: every worker gets a block that cost as much as any other in earlier executions; the end of
/// the loop is first come, first served, for what the profile does not know. Where chunks need not ascend, the blocks
/// are queues, too: who is done steals from the back of what others have left, so a wrong profile costs steals and not
/// the time of the longest block.
/// @param shape  N, P, minimum chunk, weights, profile; fraction: share of the cost that is static; statistics: if
///               known, no step is made that is not worth its dispatch; whole_blocks: each block is one step
/// @return own steps of equal cost, then shared ones that shrink; fac2's plan without a profile
/// @errors std::bad_alloc  @threads any  @cost O((P + steps) log bins)
/// @source Bull 1998, with the dynamic end of Donfack et al. 2012; test: tests/unit/technique/feedback_test.cpp
Plan plan_feedback(const LoopShape& shape) {
    const bool knows = shape.profile && shape.profile->known() && std::isfinite(shape.profile->total());
    if (!knows || shape.iterations == 0 || shape.iterations > kLongestByPosition || shape.workers > kMaxWorkers) {
        return plan_fac2(shape);
    }
    const double fraction = shape.fraction < 0 ? kStaticShare : std::min(shape.fraction, 1.0);
    const double total = shape.profile->total();
    CostCutter cutter(shape);
    cutter.own_part(fraction * total);
    cutter.shared_part((1 - fraction) * total / (kTailPieces * static_cast<double>(workers_of(shape))));
    return std::move(cutter).finish();
}

}  // namespace

constinit const PlannedTechnique kFeedback{{.name = "feedback",
                                            .aliases = {},
                                            .family = "feedback",
                                            .summary = "Blocks of equal measured cost, then shrinking shared chunks.",
                                            .parameter = "static fraction f, and granule c [iterations], as f:c",
                                            .source = "Bull 1998",
                                            .needs_weights = true,
                                            .needs_profile = true,
                                            .fraction = FractionSource::feedback},
                                           plan_feedback};

}  // namespace gimbal::technique
