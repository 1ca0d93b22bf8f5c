// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/rehearsal.hpp"

#include <atomic>
#include <new>

#include "base/held_signal.hpp"
#include "gimbal/options.hpp"
#include "kept/store.hpp"
#include "loop/site_table.hpp"
#include "measure/loop_stats.hpp"
#include "report/steps.hpp"
#include "select/background.hpp"
#include "select/replay.hpp"

namespace gimbal {

namespace {

constexpr std::uint32_t kWorkers = 2;
constexpr std::uint64_t kIterations = 64;
// The technique that all begin with, static to see what it loses, and leaving the loop.
constexpr int kExecutions = 4;

// The workers come one after the other: what they find left does not matter.
void run(LoopSite& site, const Request& request) noexcept {
    Execution* const execution = site.open(request);
    if (execution == nullptr) return;
    bool last = false;
    for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
        gimbal_share share{};
        std::uint64_t first = 0, end = 0;
        execution->begin(worker, share);
        while (execution->next(share, first, end)) {
        }
        last = execution->end(share);
    }
    if (last) site.close(execution);
}

}  // namespace

void rehearse_once() noexcept {
    static std::atomic<bool> done{false};
    if (done.load(std::memory_order_relaxed) || done.exchange(true, std::memory_order_relaxed)) return;
    const HeldSignals held;
    try {
        const Options& asked = options();
        // Each of these would see a loop that is none of the program's.
        if (asked.select.name != "auto" || recording_to_replay() || steps_wanted() || !asked.trace.empty()) return;
        prepare_known_loops();
        (void)all_sites();
        (void)keeps_knowledge();
        if (asked.loop_stats.empty()) (void)all_stored_statistics();
        gimbal_loop_desc place{};
        place.code = reinterpret_cast<const void*>(&rehearse_once);
        LoopSite site(identify(place), kWorkers);
        Request request;
        request.trip = kIterations;
        request.selector = "auto";  // named: nothing is asked of earlier runs
        request.can_leave = true;
        for (int k = 0; k < kExecutions; ++k) run(site, request);
        if (asked.select.background) (void)start_background();
    } catch (const std::bad_alloc&) {
    }
}

}  // namespace gimbal
