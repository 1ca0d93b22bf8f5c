// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer that moves data between ranks asks of the settings, and what it has to say.
#include "ranks/settings.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "gimbal/rank_loop.h"
#include "gimbal/schedule.hpp"
#include "loop/schedules.hpp"

namespace gimbal {

namespace {

std::atomic<bool> g_used = false;

static_assert(GIMBAL_TRANSPORT_AUTO == static_cast<int>(RankTransport::automatic));
static_assert(GIMBAL_TRANSPORT_SHARED == static_cast<int>(RankTransport::shared));
static_assert(GIMBAL_TRANSPORT_FOREMAN == static_cast<int>(RankTransport::foreman));
static_assert(GIMBAL_TRANSPORT_HIERARCHICAL == static_cast<int>(RankTransport::hierarchical));

/// Loops for which the program names nothing: the technique of GIMBAL_MPI_SCHEDULE, or `runtime`, where select_ranks
/// says who chooses (config/selection.hpp has settled which).
int usual_schedule(const Options& asked) {
    const bool fixed = asked.ranks.schedule.technique && asked.select_ranks.name == "fixed";
    return intern(fixed ? asked.ranks.schedule : ScheduleSpec{});
}

int is_given(const Options& asked, std::string_view name) noexcept {
    return asked.origin(name) == "default" ? 0 : 1;
}

/// MPI_RL_OPTION, GIMBAL_RANK_AGENT_*.
int agent_of(const Options& asked) noexcept {
    if (asked.ranks.agent.empty()) return GIMBAL_RANK_AGENT_NONE;
    return asked.ranks.agent == "steal-ratio" ? GIMBAL_RANK_AGENT_STEALS : GIMBAL_RANK_AGENT_CHOOSES;
}

/// On one line, as an exception's text.
std::string sentence(const Error& error) {
    std::string text = error.what();
    if (error.hint().empty()) return text;
    text.append(". ");
    bool line_begins = false;
    for (const char letter : error.hint()) {
        if (letter == '\n') text.push_back(' ');
        line_begins = letter == '\n' || (line_begins && letter == ' ');
        if (!line_begins) text.push_back(letter);
    }
    return text;
}

void copy_cut(std::string_view text, char* message, size_t size) noexcept {
    if (!message || size == 0) return;
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(message, text.data(), length);
    message[length] = '\0';
}

}  // namespace

std::string_view reason_of(int schedule) noexcept {
    const Options& asked = options();
    const bool configured = asked.ranks.schedule.technique && schedule == usual_schedule(asked);
    return configured ? "GIMBAL_MPI_SCHEDULE" : "the loop's schedule";
}

bool rank_level_used() noexcept {
    return g_used.load(std::memory_order_relaxed);
}

}  // namespace gimbal

extern "C" {

void gimbal_rank_settings_get(gimbal_rank_settings* settings) {
    gimbal::g_used.store(true, std::memory_order_relaxed);
    const gimbal::Options& asked = gimbal::options();
    const gimbal::RankSettings& ranks = asked.ranks;
    *settings = {.transport = static_cast<int>(ranks.transport),
                 .schedule = gimbal::usual_schedule(asked),
                 .schedule_given = gimbal::is_given(asked, "GIMBAL_MPI_SCHEDULE"),
                 .robust = ranks.robust ? 1 : 0,
                 .steal_rule = ranks.steal_by_seed ? GIMBAL_STEAL_SEED : GIMBAL_STEAL_NEAREST,
                 .steal_ratio = ranks.steal_ratio,
                 .ratio_given = gimbal::is_given(asked, "GIMBAL_MPI_STEAL_RATIO"),
                 .agent = gimbal::agent_of(asked),
                 .poll_us = ranks.poll_us,
                 .node_ranks = ranks.node_ranks,
                 .steal_bytes = ranks.steal_bytes,
                 .seed = asked.seed};
    // Rank 0 alone sees loops over ranks.
    if (gimbal::after_new_loop) gimbal::after_new_loop();
}

int gimbal_rank_schedule(const char* text, char* message, size_t size) {
    try {
        try {
            if (const int number = gimbal::intern(gimbal::parse_schedule(text ? text : ""))) return number;
            gimbal::copy_cut("too many different schedules", message, size);
        } catch (const gimbal::Error& error) {
            gimbal::copy_cut(gimbal::sentence(error), message, size);
        }
    } catch (const std::exception& error) {
        gimbal::copy_cut(error.what(), message, size);
    }
    return 0;
}

int gimbal_rank_warn(const char* text) {
    if (!gimbal::warn_once([text] { return text; }) || !gimbal::stderr_is_the_same()) return 0;
    if (gimbal::process_environment().rank != 0) return 1;
    try {
        gimbal::write_stderr(std::string("gimbal: warning: ") + text + "\n");
    } catch (const std::bad_alloc&) {
        // It stands in the report.
    }
    return 0;
}

}  // extern "C"
