// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/steal_text.hpp"

#include <array>

#include "gimbal/plain_text.hpp"
#include "report/table.hpp"

namespace gimbal {

namespace {

/// "312 B", "1.20 MB".
std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
    if (bytes < 1000) return std::to_string(bytes) + " B";
    double size = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
    return fixed(size, size < 10 ? 2 : size < 100 ? 1 : 0) + " " + kUnits[unit];
}

std::string ratio_text(double ratio) {
    if (!(ratio > 0)) return "fair shares";
    return "ratio " + significant_digits(ratio, 3);
}

}  // namespace

std::string steal_remark(const LoopSummary& loop) {
    const StealFigures& steals = *loop.steals;
    const std::string tries = std::to_string(steals.attempts) + (steals.attempts == 1 ? " attempt" : " attempts");
    // One rank's own view: it may have stolen nothing because it was stolen from.
    const std::string given =
        steals.given == 0 ? std::string() : "; " + std::to_string(steals.given) + " items given to others";
    if (steals.attempts == 0) return "  stolen: nothing" + (given.empty() ? "; no rank tried" : given);
    if (steals.successes == 0) return "  stolen: nothing in " + tries + given;
    std::string text = "  stolen: " + std::to_string(steals.stolen) + " of " + std::to_string(loop.iterations) +
                       " items in " + std::to_string(steals.successes) + " of " + tries + ", ";
    // Both ends are known if all ranks left a record; one rank alone knows what it received and what it sent.
    text += steals.bytes_in == steals.bytes_out
                ? bytes_text(steals.bytes_in) + " moved"
                : bytes_text(steals.bytes_in) + " received, " + bytes_text(steals.bytes_out) + " sent";
    return text + ", " + ratio_text(steals.ratio);
}

}  // namespace gimbal
