// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/rung.hpp"

namespace gimbal::pin {

namespace {
constexpr std::string_view kNames[kRungs] = {"papi", "papi-inside", "perf", "progress", "cpu"};
constexpr std::string_view kUnits[kRungs] = {"instructions/s", "instructions/s", "instructions/s", "progress/s",
                                             "ns/s"};
}  // namespace

std::string_view rung_name(Rung rung) noexcept {
    return kNames[static_cast<int>(rung)];
}

std::optional<Rung> rung_named(std::string_view name) noexcept {
    for (int i = 0; i < kRungs; ++i) {
        if (kNames[i] == name) return static_cast<Rung>(i);
    }
    return std::nullopt;
}

std::string_view rung_unit(Rung rung) noexcept {
    return kUnits[static_cast<int>(rung)];
}

}  // namespace gimbal::pin
