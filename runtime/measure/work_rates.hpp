// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/cost_profile.hpp"

namespace gimbal {

/// What one execution lost, by cause, in the unit of its times.
struct LossByCause {
    double time = 0;  ///< mean over the workers of their time in it
    double work = 0;  ///< the longest would be so much over the mean if all worked at one rate: schedules can act
    double rate = 0;  ///< mean over the workers of what slower ones lose: placement or lent cores can act
};

/// More work on a worker that is late is the schedule's affair; the same work at a lower rate is that of its core.
/// @param work         [P] of each worker, any unit; 0: it did nothing
/// @param time         [P] that it took
/// @param least_usual  rates from this on count as equal to the median, as a part of it
/// @return all zero where fewer than two workers worked  @errors std::bad_alloc  @threads any  @cost O(P)
/// @source seed 001 (rates by instruction counts); test: tests/unit/measure/work_rates_test.cpp
[[nodiscard]] LossByCause loss_by_cause(std::span<const double> work, std::span<const double> time, double least_usual);

/// How fast each worker of a loop works, over all executions whose chunks were timed. Work is the instructions that
/// each has executed, where all are counted; else what the cost profile says that its chunks take anywhere.
/// @threads guarded by its owner
/// @source as above
class WorkRates {
public:
    /// Take in one execution.
    /// @param workers   [P] what each worker saw
    /// @param compared  [P] the same beside the profile as it was before; nothing predicted: only instructions count
    /// @return what it lost  @errors std::bad_alloc
    LossByCause add(std::span<const ChunkCosts* const> workers, std::span<const ComparedCosts> compared);

    /// Relative to the median worker; 0: not known. Few executions tell nothing. @cost O(P)
    [[nodiscard]] std::vector<double> rates() const;
    /// Who is below this rate is slow; the others count as equal to the median worker.
    [[nodiscard]] double least_usual() const noexcept;
    /// Where a worker ran, by the operating system's number; < 0: not known, or in several places.
    [[nodiscard]] int processor(std::size_t worker) const noexcept {
        return worker < sums_.size() ? sums_[worker].processor : kUnknown;
    }
    [[nodiscard]] bool by_instructions() const noexcept { return by_instructions_; }

private:
    static constexpr int kUnknown = -1, kSeveral = -2;
    struct Sums {
        double work = 0;
        double time = 0;
        int processor = kUnknown;
    };
    std::vector<Sums> sums_;  // [P]
    std::uint64_t executions_ = 0;
    bool by_instructions_ = false;
};

}  // namespace gimbal
