// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

namespace gimbal::pin {

/// One thread, as other processes see it.
struct SharedThread {
    std::int32_t tid = 0;
    std::int32_t count = 0;    ///< PUs that it was given; 0: it runs wherever the operating system wants
    std::int32_t pus[8] = {};  ///< the first of them
    std::int32_t seen = -1;    ///< where it ran last; -1: not known
    std::uint32_t moves = 0;   ///< [count]
    float speed = 0;           ///< in the unit of the metric
    float cpu_share = 0;       ///< [0, 1]
    float wait_share = -1;     ///< [0, 1]; -1: not known
    char name[16] = {};
};

inline constexpr std::uint32_t kShareMagic = 0x676d7031;  // "gmp1": another layout, another number
inline constexpr std::uint32_t kMostShared = 1024;        ///< threads that others see

/// What one process says about itself. Written by its manager alone; a generation that is odd, or differs before and
/// after a reading, means that it was being written.
struct SharedPage {
    std::uint32_t magic = kShareMagic;
    std::atomic<std::uint32_t> generation = 0;
    std::int32_t pid = 0;
    std::int32_t rank = 0;
    std::uint32_t threads = 0;  ///< entries that are used
    std::uint64_t tick = 0;
    double period_s = 0;
    double objective = 0;      ///< in the unit of the metric
    double manager_share = 0;  ///< of one core, [0, 1]
    char mode[16] = {};
    char phase[16] = {};
    char metric[16] = {};
    char program[64] = {};
    SharedThread thread[kMostShared];
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace gimbal::pin
