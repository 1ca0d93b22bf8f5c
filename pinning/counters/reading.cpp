// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/reading.hpp"

#include <algorithm>

namespace gimbal::pin {

std::string_view verdict_name(Verdict verdict) noexcept {
    constexpr std::string_view kNames[] = {"ok", "unread", "too_short", "blocked", "silent", "absurd"};
    return kNames[static_cast<int>(verdict)];
}

Speed speed_between(const Reading& before, const Reading& after, const SpeedRules& rules) noexcept {
    Speed speed;
    const auto elapsed_ns = static_cast<double>(after.wall_ns - before.wall_ns);
    if (elapsed_ns <= 0) {
        speed.verdict = Verdict::too_short;
        return speed;
    }
    speed.elapsed_s = elapsed_ns / 1e9;
    const auto cpu_ns = static_cast<double>(after.cpu_time_ns - before.cpu_time_ns);
    speed.cpu_share = std::clamp(cpu_ns / elapsed_ns, 0.0, 1.0);
    if (before.wait_ns >= 0 && after.wait_ns >= before.wait_ns)
        speed.wait_share =
            std::min(1 - speed.cpu_share, static_cast<double>(after.wait_ns - before.wait_ns) / elapsed_ns);
    if (!before.valid || !after.valid) return speed;
    if (speed.elapsed_s < rules.period_s / 2) {
        speed.verdict = Verdict::too_short;
        return speed;
    }
    auto gain = static_cast<double>(after.value - before.value);
    if (after.enabled_ns > before.enabled_ns) {
        const auto enabled = static_cast<double>(after.enabled_ns - before.enabled_ns);
        const auto running = static_cast<double>(after.running_ns - before.running_ns);
        if (running <= 0) return speed;  // the event never had a counter: nothing is known, which is not 0
        gain *= enabled / running;
    }
    if (before.within_ns >= 0 && after.within_ns >= 0) {
        const auto within_ns = static_cast<double>(after.within_ns - before.within_ns);
        if (within_ns <= 0) {
            speed.verdict = Verdict::silent;
            return speed;
        }
        speed.per_s = gain / within_ns;
    } else {
        speed.per_s = gain / speed.elapsed_s;
    }
    // Clocks are read one after the other; a processor in between is worth a millisecond or so.
    constexpr double kSlack_ns = 5e6;
    if (gain < 0 || cpu_ns < 0 || (rules.most_per_ns > 0 && gain > rules.most_per_ns * (cpu_ns + kSlack_ns))) {
        speed.verdict = Verdict::absurd;
    } else if (speed.cpu_share + std::max(0.0, speed.wait_share) < rules.blocked_below) {
        speed.verdict = Verdict::blocked;
    } else {
        speed.verdict = Verdict::ok;
    }
    return speed;
}

}  // namespace gimbal::pin
