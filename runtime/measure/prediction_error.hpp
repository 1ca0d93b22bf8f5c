// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "measure/record.hpp"

namespace gimbal {

/// How far the cost profile's predictions were off in the last executions, and the dynamic share that makes up for it.
/// Blocks of equal predicted cost should end together; they end late by max - mean of their finishing times, and
/// P (max - mean) is the work that the others need meanwhile: f_d = (max - mean) / T_p, formula 2 (exact form) with the
/// delay that the team as a whole saw. Blocks that are x times as long are late x times as much: a delay of
/// e T_p if all were in blocks is one of f_s e T_p, for which f_d = f_s e suffices, so f_d = e / (1 + e).
/// @threads guarded by its owner
/// @source reference: Bull 1998 (feedback-guided blocks), Donfack et al. 2012 (the bound);
///         test: tests/unit/measure/prediction_error_test.cpp
class PredictionError {
public:
    /// @param workers   [P] of one execution whose static parts were timed; others change nothing
    /// @param fraction  its static fraction, in (0, 1]
    void add(std::span<const WorkerRecord> workers, double fraction) noexcept;

    /// The static fraction for the next execution: one less what the worst but one of the last executions needed, and
    /// half as much again.
    /// @param stealing  workers, if what others have left of their blocks can be stolen: then the dynamic share, whose
    ///                  chunks are cut by the profile, too, is the smaller the more they are; 0: it cannot [count]
    /// @return in [0.5, 0.98]; 0.9 while nothing is known; with stealing 1 - max(0.05, 0.6 / P) at least
    /// @cost some nanoseconds: every execution that something chooses for asks
    [[nodiscard]] double fraction(std::uint32_t stealing = 0) const noexcept;

    /// For a later run.
    void save(ByteWriter& to) const;
    void restore(ByteReader& from) noexcept;

private:
    static constexpr std::size_t kKept = 8;
    void note_expected() noexcept;

    std::array<double, kKept> late_{};  // delays if all were in blocks, over T_p
    std::size_t seen_ = 0;
    double expected_ = 0;  // what the next one may be
};

}  // namespace gimbal
