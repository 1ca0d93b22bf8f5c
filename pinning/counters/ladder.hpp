// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/rung.hpp"

namespace gimbal::pin {

/// How the metric is chosen.
struct LadderOptions {
    std::optional<Rung> only;       ///< the user insists on this one; nullopt: auto
    bool progress_offered = false;  ///< the application counts its progress: then that is preferred
    bool inside_hook = true;        ///< threads call start_here() when they begin; else Rung::papi_inside is left out
};

/// "auto" or a rung's name.
/// @param what  names the setting in the error
/// @errors gimbal::Error(invalid_option)
[[nodiscard]] std::optional<Rung> parse_metric(std::string_view text, std::string_view what);

/// One rung that was tried.
struct Attempt {
    Rung rung = Rung::cpu_time;
    bool works = false;
    std::string why;  ///< what happened, in words
};

/// The chosen rung and what became of the better ones.
struct LadderChoice {
    Rung rung = Rung::cpu_time;
    std::vector<Attempt> attempts;   ///< in the order tried
    std::vector<std::string> notes;  ///< what this choice cannot see
    /// A line per rung and note, without a newline at the end.
    [[nodiscard]] std::string text() const;
};

/// Finds the best rung that works here: each is added, started, and read twice around some work. Nobody's claims are
/// trusted. With `only`, a rung that does not work is replaced by the next that does, and the notes say so.
/// @errors none: the last rung always works on Linux
/// @threads one at a time; call it in the manager's thread. It may start one short thread of its own (papi_inside)
/// @cost up to some hundred milliseconds where PAPI must be started, else microseconds
/// @source reference on placement, section 3; test: tests/unit/pinning/counters/ladder_test.cpp
[[nodiscard]] LadderChoice choose_rung(const LadderOptions& options);

}  // namespace gimbal::pin
