// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/thread_counter.hpp"

namespace gimbal::pin {

/// "auto" or a backend's name.
/// @param what  names the setting in the error
/// @errors gimbal::Error(invalid_option)
[[nodiscard]] std::optional<Backend> parse_metric(std::string_view text, std::string_view what);

/// The chosen backend and what became of the better ones.
struct BackendChoice {
    Backend backend = Backend::cpu_time;
    std::vector<std::string> attempts;  ///< a line for each, in the order tried: "papi: why not", "cpu: works"
    std::vector<std::string> notes;     ///< what this choice cannot see
    /// A line per backend and note, without a newline at the end.
    [[nodiscard]] std::string text() const;
};

/// Finds the best backend that works here: each is added, started, and read twice around some work. Nobody's claims are
/// trusted. Backend::papi_inside, for which each thread must call start_here(), is tried only if the user insists on
/// it.
/// @param only  the user insists on this one; nullopt: auto. If it does not work it is replaced by the next that does,
///              and the notes say so
/// @param progress_offered  the application counts its progress: then that is preferred
/// @errors none: the last backend always works on Linux
/// @threads one at a time; call it in the manager's thread. It may start one short thread of its own (papi_inside)
/// @cost up to some hundred milliseconds where PAPI must be started, else microseconds
/// @source reference on placement, section 3; test: tests/unit/pinning/counters/counter_backends_test.cpp
[[nodiscard]] BackendChoice choose_backend(std::optional<Backend> only = std::nullopt, bool progress_offered = false);

}  // namespace gimbal::pin
