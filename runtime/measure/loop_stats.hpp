// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/technique.hpp"

namespace gimbal {

/// Mean and deviation of the iteration times of one loop, as GIMBAL_LOOP_STATS keeps them.
struct StoredStatistics {
    std::string loop;           ///< SiteIdentity::key()
    std::uint32_t workers = 0;  ///< team size [count]
    double mean_s = 0;          ///< [s]
    double sd_s = 0;            ///< [s]
};

/// Read loop statistics from JSON text.
/// @errors gimbal::Error(file) if the text is not what format_loop_stats() makes
[[nodiscard]] std::vector<StoredStatistics> parse_loop_stats(std::string_view text);

/// The same as JSON text. @param statistics  loops by name_in_loop_stats()
[[nodiscard]] std::string format_loop_stats(const std::vector<StoredStatistics>& statistics);

/// A loop's key as the file has it: JSON holds UTF-8, and names of files and functions may be something else.
[[nodiscard]] std::string name_in_loop_stats(std::string_view loop);

/// Everything in the file of GIMBAL_LOOP_STATS as it was when first asked for. @threads any
[[nodiscard]] const std::vector<StoredStatistics>& all_stored_statistics();

/// The same as it is now: other processes may have written to it. @return nothing: it holds something else, which is not
/// this library's to write over; that has been said  @threads any
[[nodiscard]] std::optional<std::vector<StoredStatistics>> stored_statistics_now();

/// What the file of GIMBAL_LOOP_STATS says about a loop, for any team size if not for this one; in ticks.
/// The file is read once, at the first call; a missing file is an empty one, a bad one is ignored with a warning.
/// @threads any, but the caller serialises the first call
[[nodiscard]] std::optional<IterationStatistics> stored_statistics(std::string_view loop, std::uint32_t workers);

}  // namespace gimbal
