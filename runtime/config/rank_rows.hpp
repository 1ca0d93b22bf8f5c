// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <variant>

#include "config/selection.hpp"
#include "config/table.hpp"

// The part of the option table that is about loops over ranks.

namespace gimbal::rank_rows {

inline constexpr std::array<std::string_view, 4> kTransports = {"auto", "shared", "foreman", "hierarchical"};
inline constexpr std::array<std::string_view, 2> kStealRules = {"nearest", "seed"};

/// @param word  one of kTransports, which stand in the enumerators' order
inline RankTransport transport_of(const std::string& word) {
    return static_cast<RankTransport>(std::find(kTransports.begin(), kTransports.end(), word) - kTransports.begin());
}

/// @param word  of steal_ratio_word()
inline double ratio_of(const std::string& word) {
    if (word == "fair") return kFairSteal;
    if (word == "agent") return kAgentSteals;
    double ratio = kFairSteal;
    std::from_chars(word.data(), word.data() + word.size(), ratio);
    return ratio;
}

inline std::uint32_t count_of(const OptionValue& value) {
    return static_cast<std::uint32_t>(std::get<std::int64_t>(value));
}

inline constexpr std::array<OptionSpec, 10> kRows = {{
    {.name = "GIMBAL_MPI_SCHEDULE",
     .type = OptionType::schedule,
     .fallback = "runtime",
     .level = "rank",
     .flag = "--mpi-schedule",
     .doc = "Technique, and after a comma its chunk or static fraction, for loops over ranks for which the program "
            "names none; or a selector; `runtime` lets GIMBAL_SELECT choose.",
     .set = [](Options& o, const OptionValue& v) { o.ranks.schedule = std::get<ScheduleSpec>(v); }},
    {.name = "GIMBAL_MPI_TRANSPORT",
     .type = OptionType::choice,
     .fallback = "auto",
     .choices = kTransports,
     .level = "rank",
     .flag = "--mpi-transport",
     .doc = "How chunks come to the ranks: memory that a node shares, messages to a foreman, or nodes that draw for "
            "their ranks.",
     .set = [](Options& o, const OptionValue& v) { o.ranks.transport = transport_of(std::get<std::string>(v)); }},
    {.name = "GIMBAL_MPI_POLL_US",
     .type = OptionType::integer,
     .fallback = "50",
     .low = 1,
     .high = 1e6,
     .level = "rank",
     .doc = "Longest time in microseconds that a request may wait for a rank that computes.",
     .set = [](Options& o, const OptionValue& v) { o.ranks.poll_us = count_of(v); }},
    {.name = "GIMBAL_MPI_ROBUST",
     .type = OptionType::boolean,
     .fallback = "off",
     .level = "rank",
     .doc = "Whether ranks with nothing left run unfinished chunks of other ranks again, where the program allows it.",
     .set = [](Options& o, const OptionValue& v) { o.ranks.robust = std::get<bool>(v); }},
    {.name = "GIMBAL_MPI_STEAL",
     .type = OptionType::choice,
     .fallback = "nearest",
     .choices = kStealRules,
     .level = "rank",
     .doc = "From whom ranks steal distributed data: the rank of their node with most left first, or one that "
            "a coordinator draws (seed).",
     .set = [](Options& o, const OptionValue& v) { o.ranks.steal_by_seed = std::get<std::string>(v) == "seed"; }},
    {.name = "GIMBAL_MPI_STEAL_RATIO",
     .type = OptionType::choice,
     .fallback = "fair",
     .choices = kStealRatioWords,
     .level = "rank",
     .doc = "Fraction of the victim's remaining items that a thief takes; fair: both end with equally many; agent: the "
            "agent steal-ratio learns it.",
     .canonical = steal_ratio_word,
     .also = "a number in (0, 1]",
     .set = [](Options& o, const OptionValue& v) { o.ranks.steal_ratio = ratio_of(std::get<std::string>(v)); }},
    {.name = "GIMBAL_MPI_WAITING",
     .type = OptionType::boolean,
     .fallback = "on",
     .level = "rank",
     .flag = "--mpi-waiting",
     .doc = "Whether `gimbal run -n` measures where ranks wait in MPI; if off, and without GIMBAL_ELASTIC, nothing is "
            "put before MPI.",
     .set = [](Options& o, const OptionValue& v) { o.ranks.waiting = std::get<bool>(v); }},
    {.name = "GIMBAL_ELASTIC",
     .type = OptionType::boolean,
     .fallback = "off",
     .level = "rank",
     .flag = "--elastic",
     .doc = "Whether a rank that waits in MPI sleeps and lends its cores to ranks of its node that compute.",
     .set = [](Options& o, const OptionValue& v) { o.ranks.elastic = std::get<bool>(v); }},
    {.name = "GIMBAL_MPI_NODE_RANKS",
     .type = OptionType::integer,
     .fallback = "0",
     .high = 1048576,
     .level = "rank",
     .doc = "Pretend nodes of so many ranks, for tests; 0: as it is.",
     .hidden = true,
     .set = [](Options& o, const OptionValue& v) { o.ranks.node_ranks = count_of(v); }},
    {.name = "GIMBAL_MPI_STEAL_BYTES",
     .type = OptionType::integer,
     .fallback = "1073741824",
     .low = 1,
     .high = 1073741824,
     .level = "rank",
     .doc = "Bytes of stolen items, or of their results, from which on a message is full; for tests.",
     .hidden = true,
     .set = [](Options& o, const OptionValue& v) { o.ranks.steal_bytes = count_of(v); }},
}};

}  // namespace gimbal::rank_rows
