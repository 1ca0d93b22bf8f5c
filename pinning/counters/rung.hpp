// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gimbal::pin {

/// What a thread's performance is read from, best first. Which of them works is found out by trying, never by asking.
/// @source reference on placement, section 3
enum class Rung : std::uint8_t {
    papi_attach,        ///< PAPI_TOT_INS, attached to the thread from outside
    papi_inside,        ///< PAPI_TOT_INS, started by the thread itself
    perf_instructions,  ///< instructions by a raw perf event
    progress,           ///< what the application counts itself
    cpu_time            ///< processor time by perf's task clock or the thread's clock
};
inline constexpr int kRungs = 5;

/// As the user writes them: "papi", "papi-inside", "perf", "progress", "cpu".
[[nodiscard]] std::string_view rung_name(Rung rung) noexcept;
[[nodiscard]] std::optional<Rung> rung_named(std::string_view name) noexcept;
/// What is counted, with its unit per second: "instructions/s", "progress/s", "ns/s" (of processor time).
[[nodiscard]] std::string_view rung_unit(Rung rung) noexcept;
/// Whether slow memory shows in it. Where it does not, learning where memory should be is pointless.
[[nodiscard]] constexpr bool sees_memory(Rung rung) noexcept {
    return rung != Rung::cpu_time;
}
/// Whether the thread itself must call ThreadCounter::start_here().
[[nodiscard]] constexpr bool starts_inside(Rung rung) noexcept {
    return rung == Rung::papi_inside;
}

}  // namespace gimbal::pin
