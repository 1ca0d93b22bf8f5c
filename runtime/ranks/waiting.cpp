// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library that wraps MPI calls asks of the settings, and what it has to say.
#include "ranks/waiting.hpp"

#include <atomic>
#include <bit>
#include <vector>

#include "base/clock.hpp"
#include "gimbal/options.hpp"
#include "gimbal/rank_waiting.h"
#include "lightweight/slack.hpp"
#include "trace/recorder.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kMaxPaths = 64;  // in a record; those with the longest time [count]

std::atomic<gimbal_waiting_source> g_source{nullptr};

/// Slack as the library that wraps MPI calls predicts it. Never destroyed.
class ExpectedSlack final : public SlackProvider {
public:
    [[nodiscard]] std::optional<double> slack() noexcept override {
        const double expected_s = expected_s_.load(std::memory_order_relaxed);
        if (expected_s <= 0) return std::nullopt;
        return expected_s / rough_seconds_per_tick();
    }
    void expect(double slack_s) noexcept { expected_s_.store(slack_s, std::memory_order_relaxed); }

private:
    std::atomic<double> expected_s_{0};
};
constinit ExpectedSlack g_slack;

WaitingPath record_of(const gimbal_waiting_path& path) {
    return {.call = path.call,
            .name = {},
            .module = path.module,
            .offset = path.offset,
            .calls = path.calls,
            .time_s = path.time_s,
            .waiting_s = path.waiting_s,
            .predicted_s = path.predicted_s,
            .exact_calls = path.exact_calls,
            .seen_calls = path.seen_calls,
            .last_calls = path.last_calls,
            .last_rank = path.last_rank,
            .by_that_rank = path.by_that_rank};
}

}  // namespace

std::optional<WaitingRecord> waiting_record() {
    const gimbal_waiting_source source = g_source.load();
    if (!source) return std::nullopt;
    gimbal_waiting_sums sums{};
    std::vector<gimbal_waiting_path> paths(kMaxPaths);
    paths.resize(source(&sums, paths.data(), paths.size()));
    WaitingRecord record{.window_s = sums.window_s,
                         .mpi_s = sums.mpi_s,
                         .waiting_s = sums.waiting_s,
                         .asleep_s = sums.asleep_s,
                         .calls = sums.calls,
                         .sleeps = sums.sleeps,
                         .paths = {}};
    for (const gimbal_waiting_path& path : paths) record.paths.push_back(record_of(path));
    return record;
}

bool waiting_is_known() noexcept {
    return g_source.load() != nullptr;
}

void forget_waiting_in_child() noexcept {
    gimbal_rank_waiting_source(nullptr);
}

}  // namespace gimbal

extern "C" {

void gimbal_rank_waiting_settings(gimbal_waiting_settings* settings) {
    const gimbal::Options& asked = gimbal::options();
    *settings = {.measure = asked.ranks.waiting && !asked.kept_out ? 1 : 0,
                 .elastic = asked.ranks.elastic && !asked.kept_out ? 1 : 0,
                 .traced = gimbal::tracing() ? 1 : 0};
}

void gimbal_rank_waiting_source(gimbal_waiting_source source) {
    gimbal::g_source.store(source);
    gimbal::set_slack_provider(source ? &gimbal::g_slack : nullptr);
}

void gimbal_rank_waiting_expect(double slack_s) {
    gimbal::g_slack.expect(slack_s);
    gimbal::trace(gimbal::TraceKind::slack,
                  gimbal::pair_of(0, std::bit_cast<std::uint32_t>(static_cast<float>(slack_s))));
}

void gimbal_rank_waiting_enter(const char* call) {
    gimbal::trace(gimbal::TraceKind::call_begin, gimbal::trace_text(call));
}

void gimbal_rank_waiting_leave(uint64_t waiting_ns) {
    gimbal::trace(gimbal::TraceKind::call_end, waiting_ns);
}

}  // extern "C"
