// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "select/selector.hpp"

namespace gimbal {

/// One step of a recorded loop.
struct RecordedStep {
    Schedule schedule;
    std::uint64_t iterations = 0;       ///< that were run [iterations]
    const Technique* within = nullptr;  ///< of the threads in the ranks' chunks; nullptr: they chose for themselves
};

/// What GIMBAL_RECORD wrote (report/steps.hpp): every loop's choices, step by step.
class Recording {
public:
    /// Read the text of a record. Only the columns loop, workers, step, iterations and technique count, and within, if
    /// it is there; they are found by the header, whatever stands beside them.
    /// @errors gimbal::Error(file) with line and reason: not a record, a broken line, an unknown technique, a step that
    ///         is missing or there twice, a last line that is cut off
    [[nodiscard]] static Recording parse(std::string_view text);

    /// @errors as parse(), and gimbal::Error(file) if it cannot be read
    [[nodiscard]] static Recording read(const std::string& path);

    /// @return steps from 0, not empty; nullptr: no such loop with that many workers
    [[nodiscard]] const std::vector<RecordedStep>* find(std::string_view loop, std::uint32_t workers) const;
    /// Of a loop over distributed data. @return steal ratios from step 0, not empty; nullptr: as above
    [[nodiscard]] const std::vector<double>* find_ratios(std::string_view loop, std::uint32_t ranks) const;
    [[nodiscard]] std::size_t loops() const noexcept { return steps_.size(); }

private:
    using Key = std::pair<std::string, std::uint32_t>;  // loop and workers
    template <class Step>
    using Table = std::map<Key, std::vector<Step>>;

    Table<RecordedStep> steps_;
    Table<double> ratios_;
};

/// The record that GIMBAL_REPLAY names. With several ranks the name is a pattern as for GIMBAL_RECORD, so that each
/// rank follows its own; where there is no such file, the name as it was written, and where there is none either, rank
/// 0's file, in which alone loops over ranks stand.
/// @return nullptr: none is named, or it was refused
/// @threads any  @cost reads the file at the first call
[[nodiscard]] const Recording* recording_to_replay();

/// Why the file that GIMBAL_REPLAY names was refused; empty: it was not. @threads any  @cost as above
[[nodiscard]] const std::string& replay_refusal();

/// Whether what was refused is a file of this rank's own, so that rank 0 cannot speak for it. @threads any  @cost as
/// above
[[nodiscard]] bool replays_own_file();

}  // namespace gimbal
