// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace gimbal {

/// What a DeviceLoop is told at the beginning.
struct DeviceLoopSettings {
    std::string name = "device_loop";   ///< of the loop, in reports
    std::int64_t rows = 0;              ///< N, iterations of each execution [rows], >= 0
    std::int64_t halo = 1;              ///< rows to each side that a row is computed from [rows], >= 0
    int device = 0;                     ///< OpenMP device number; < 0: threads alone
    std::int64_t least_rows = 0;        ///< fewest rows of a chunk, at most `rows` [rows]; 0: a 128th of the loop
    const char* schedule = "feedback";  ///< of Gimbal, as in OMP_SCHEDULE; one with weights learns the split
    double fixed_part = -1;  ///< in [0, 1]: the device runs the first rows, this part of them, for comparison;
                             ///< < 0: Gimbal shares the rows out
};

/// What cannot be is taken for the nearest that can.
[[nodiscard]] inline DeviceLoopSettings checked_settings(DeviceLoopSettings settings) {
    settings.rows = std::max<std::int64_t>(settings.rows, 0);
    settings.halo = std::max<std::int64_t>(settings.halo, 0);
    if (!settings.schedule) settings.schedule = DeviceLoopSettings().schedule;
    settings.fixed_part = settings.fixed_part >= 0 ? std::min(settings.fixed_part, 1.0) : -1;
    settings.least_rows = std::clamp<std::int64_t>(settings.least_rows, 0, std::max<std::int64_t>(settings.rows, 1));
    return settings;
}

/// Fewest rows of a chunk. @param settings  checked  @return >= 1 [rows]
[[nodiscard]] inline std::int64_t least_rows(const DeviceLoopSettings& settings) {
    return settings.least_rows > 0 ? settings.least_rows : std::max<std::int64_t>(settings.rows / 128, 1);
}

/// Rows that threads alone take at once: as few as the program names, else fewer than with a device where a large team
/// would get pieces of unequal number, since threads have no launches to pay for.
/// @param settings  checked  @return >= 1 [rows]
[[nodiscard]] inline std::int64_t rows_at_once(const DeviceLoopSettings& settings, std::int64_t threads) {
    constexpr std::int64_t kPiecesPerThread = 32;
    if (settings.least_rows > 0) return settings.least_rows;
    return std::clamp<std::int64_t>(settings.rows / (kPiecesPerThread * threads), 1, least_rows(settings));
}

/// Where a loop is, as compilers tell it.
[[nodiscard]] inline std::string source_text(std::string name, const std::string& file, int line) {
    std::replace(name.begin(), name.end(), ';', ',');
    return ";" + file + ";" + name + ";" + std::to_string(line) + ";0;;";
}

/// A name as gimbal_report_note() takes it for a subject.
[[nodiscard]] inline std::string subject_text(std::string name) {
    constexpr std::size_t kMaxLength = 100;
    std::replace(name.begin(), name.end(), ':', ' ');
    std::replace(name.begin(), name.end(), '\n', ' ');
    return name.empty() ? "device loop" : name.substr(0, kMaxLength);
}

/// Whether this process has not asked with this text before. @errors std::bad_alloc  @threads any
[[nodiscard]] inline bool is_first_time(const std::string& text) {
    static std::mutex mutex;
    static std::set<std::string> known;
    const std::lock_guard lock(mutex);
    return known.insert(text).second;
}

}  // namespace gimbal
