// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "gimbal/loop.h"
#include "loop/site_table.hpp"
#include "report/metrics.hpp"

namespace gimbal::test {

/// Runs body(worker) on `workers` threads at once and waits for all.
inline void run_team(std::uint32_t workers, const std::function<void(std::uint32_t)>& body) {
    std::vector<std::thread> threads;
    threads.reserve(workers);
    for (std::uint32_t worker = 0; worker < workers; ++worker) threads.emplace_back(body, worker);
    for (std::thread& thread : threads) thread.join();
}

/// A description of a loop at a made-up address; each `id` is a loop of its own.
inline gimbal_loop_desc loop_desc(std::uintptr_t id, std::uint64_t trip, std::uint32_t workers, int schedule) {
    gimbal_loop_desc desc{};
    desc.code = reinterpret_cast<const void*>(id);
    desc.trip = trip;
    desc.unit = 1;
    desc.workers = workers;
    desc.schedule = schedule;
    return desc;
}

/// One execution through the C interface: how often each iteration ran.
/// @param after_chunk  called by each worker after each of its chunks
inline std::vector<std::uint32_t> execute(const gimbal_loop_desc& desc,
                                          const std::function<void(std::uint32_t)>& after_chunk = {}) {
    std::vector<std::atomic<std::uint32_t>> ran(desc.trip);
    void* const execution = gimbal_loop_open(&desc);
    run_team(desc.workers, [&](std::uint32_t worker) {
        gimbal_share share{};
        gimbal_loop_begin(execution, worker, &share);
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        while (share.fast ? gimbal_share_next(&share, &first, &end) : gimbal_loop_next(&share, &first, &end)) {
            for (std::uint64_t i = first; i < end; ++i) ran[i].fetch_add(1, std::memory_order_relaxed);
            if (after_chunk) after_chunk(worker);
        }
        gimbal_loop_end(&share);
    });
    return {ran.begin(), ran.end()};
}

/// What the report says of a loop, by whatever it is counted.
inline void expect_sums(const gimbal_loop_desc& desc, std::uint64_t calls, std::uint64_t iterations) {
    const LoopSummary all = find_site(desc)->summary(1e-9, 0);
    EXPECT_EQ(all.calls, calls);
    EXPECT_EQ(all.iterations, iterations);
    std::uint64_t by_workers = 0, by_schedules = 0;
    for (const WorkerTotals& worker : all.per_worker) by_workers += worker.iterations;
    for (const ScheduleUse& use : all.schedules) by_schedules += use.calls;
    EXPECT_EQ(by_workers, iterations);
    EXPECT_EQ(by_schedules, calls);
}

}  // namespace gimbal::test
