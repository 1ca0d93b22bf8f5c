// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/thread_counter.hpp"

namespace gimbal::pin {

/// How the metric is chosen.
struct BackendOptions {
    std::optional<Backend> only;    ///< the user insists on this one; nullopt: auto
    bool progress_offered = false;  ///< the application counts its progress: then that is preferred
    bool inside_hook = true;  ///< threads call start_here() when they begin; else Backend::papi_inside is left out
};

/// "auto" or a backend's name.
/// @param what  names the setting in the error
/// @errors gimbal::Error(invalid_option)
[[nodiscard]] std::optional<Backend> parse_metric(std::string_view text, std::string_view what);

/// One backend that was tried.
struct Attempt {
    Backend backend = Backend::cpu_time;
    bool works = false;
    std::string why;  ///< what happened, in words
};

/// The chosen backend and what became of the better ones.
struct BackendChoice {
    Backend backend = Backend::cpu_time;
    std::vector<Attempt> attempts;   ///< in the order tried
    std::vector<std::string> notes;  ///< what this choice cannot see
    /// A line per backend and note, without a newline at the end.
    [[nodiscard]] std::string text() const;
};

/// Finds the best backend that works here: each is added, started, and read twice around some work. Nobody's claims are
/// trusted. With `only`, a backend that does not work is replaced by the next that does, and the notes say so.
/// @errors none: the last backend always works on Linux
/// @threads one at a time; call it in the manager's thread. It may start one short thread of its own (papi_inside)
/// @cost up to some hundred milliseconds where PAPI must be started, else microseconds
/// @source reference on placement, section 3; test: tests/unit/pinning/counters/counter_backends_test.cpp
[[nodiscard]] BackendChoice choose_backend(const BackendOptions& options);

}  // namespace gimbal::pin
