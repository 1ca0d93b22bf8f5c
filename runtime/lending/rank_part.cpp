// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/rank_part.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <system_error>

namespace gimbal {

namespace {

constexpr int kMax = CoreMask::kMax;

/// Processors in ascending order, chained by the core that they share.
struct Chains {
    std::array<std::int16_t, kMax> last;  // [core] its processor with the highest number so far; -1: none
    std::array<std::int16_t, kMax> next;  // [processor] the next one of its core; -1: none
    std::array<bool, kMax> leads;         // [processor] whether it is the first one of its core
    std::size_t cores = 0;

    /// @return false: of some processor the core is not known
    bool add_all(const CoreMask& mask, CoreOf find_core) noexcept {
        last.fill(-1);
        next.fill(-1);
        leads.fill(false);
        for (int processor = 0; processor < kMax; ++processor) {
            if (!mask.has(processor)) continue;
            const int core = find_core(processor);
            if (core < 0 || core >= kMax) return false;
            std::int16_t& before = last[static_cast<std::size_t>(core)];
            if (before < 0) {
                leads[static_cast<std::size_t>(processor)] = true;
                ++cores;
            } else {
                next[static_cast<std::size_t>(before)] = static_cast<std::int16_t>(processor);
            }
            before = static_cast<std::int16_t>(processor);
        }
        return true;
    }
};

}  // namespace

int core_of(int processor) noexcept {
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor);
    const int file = open(text.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    const ssize_t bytes = read(file, text.data(), text.size());
    close(file);
    // "0,64" or "0-1": the lowest comes first.
    int first = -1;
    if (bytes > 0 && std::from_chars(text.data(), text.data() + bytes, first).ec != std::errc()) return -1;
    return first;
}

CoreMask part_of_rank(const CoreMask& shared, std::uint32_t number, std::uint32_t ranks, std::uint32_t threads,
                      CoreOf find_core) noexcept {
    CoreMask part = shared.only(0).without(0);
    Chains chains;
    const std::size_t all = std::size_t{ranks} * threads;
    if (shared.cores() < all || !chains.add_all(shared, find_core)) return part;
    const bool one_a_core = chains.cores >= all;
    const std::size_t first = std::size_t{number} * threads;
    std::size_t place = 0;
    for (int lead = 0; lead < kMax; ++lead) {
        if (!chains.leads[static_cast<std::size_t>(lead)]) continue;
        for (int processor = lead; processor >= 0;
             processor = one_a_core ? -1 : chains.next[static_cast<std::size_t>(processor)], ++place)
            if (place >= first && place < first + threads) part = part.with(processor);
    }
    return part;
}

}  // namespace gimbal
