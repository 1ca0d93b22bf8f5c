// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/steps.hpp"

#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/process_state.hpp"
#include "config/load.hpp"
#include "gimbal/options.hpp"
#include "gimbal/plain_text.hpp"
#include "report/step_log.hpp"

namespace gimbal {

std::atomic<detail::StepsWanted> detail::steps_wanted = detail::StepsWanted::unknown;

namespace {

/// What GIMBAL_RL_DEBUG says of steps.
class Talk {
public:
    explicit Talk(int level) : level_(level) {}
    [[nodiscard]] bool wanted() const noexcept { return level_ > 0; }

    void say(const StepRow& row) {
        const std::lock_guard lock(mutex_);
        std::string& last = last_[{row.loop, row.workers}];
        std::string chosen = chosen_text(row);
        const bool changed = last != chosen;
        if (level_ < 2 && !changed) return;
        std::string line = "gimbal: " + std::string(row.loop) + " (" + std::to_string(row.workers) + " workers) step " +
                           std::to_string(row.step) + ": ";
        if (changed && !last.empty()) line += last + " -> ";
        line += chosen + " (" + std::string(row.reason) + (row.exploring ? ", exploring)" : ")");
        line += " " + significant_digits(row.loop_time * rough_seconds_per_tick(), 6) + " s";
        if (row.thought) {
            line += " signal " + significant_digits(row.thought->signal, 6);
            line += " reward " + significant_digits(row.thought->reward, 6);
            line += " epsilon " + significant_digits(row.thought->epsilon, 4);
            line += " alpha " + significant_digits(row.thought->alpha, 4);
        }
        last = std::move(chosen);
        if (stderr_is_the_same()) write_stderr(line + "\n");
    }

private:
    int level_;
    std::mutex mutex_;
    std::map<std::pair<std::string_view, std::uint32_t>, std::string> last_;  // what was chosen
};

struct Steps {
    StepLog record{options().select.record};
    StepLog agents{options().select.agent_stats};
    /// Loops over ranks have a file of their own only if one is named for them.
    bool split = options().select_ranks.agent_stats != options().select.agent_stats;
    StepLog rank_agents{split ? options().select_ranks.agent_stats : std::string()};
    Talk talk{options().select.debug};

    StepLog& agents_of(const StepRow& row) noexcept { return row.over_ranks && split ? rank_agents : agents; }
    Steps* parents = nullptr;  // what fork() left behind: its locks may be held for ever, so it stays
};

// Never destroyed: loops may run while the process ends.
std::atomic<Steps*> g_steps = nullptr;
Steps* g_parents = nullptr;  // of the next one
std::mutex g_making;

Steps& steps() {
    // Acquire pairs with the release store below.
    if (Steps* const ready = g_steps.load(std::memory_order_acquire)) return *ready;
    const std::lock_guard lock(g_making);
    if (!g_steps.load(std::memory_order_relaxed)) {
        auto* const made = new Steps;
        made->parents = g_parents;
        g_steps.store(made, std::memory_order_release);
    }
    return *g_steps.load(std::memory_order_relaxed);
}

}  // namespace

bool detail::ask_for_steps() noexcept {
    try {
        const Steps& all = steps();
        const bool wanted = all.record.wanted() || all.agents.wanted() || all.rank_agents.wanted() || all.talk.wanted();
        detail::steps_wanted.store(wanted ? StepsWanted::yes : StepsWanted::no, std::memory_order_relaxed);
        return wanted;
    } catch (const std::bad_alloc&) {
        return false;  // for now
    }
}

void record_step(const StepRow& row) noexcept {
    try {
        Steps& all = steps();
        if (all.record.wanted()) all.record.add(row);
        if (StepLog& agents = all.agents_of(row); agents.wanted() && row.thought) agents.add(row);
        if (all.talk.wanted()) all.talk.say(row);
    } catch (const std::bad_alloc&) {
        // A row that there is no memory for is lost.
    }
}

void flush_steps() {
    Steps* const all = g_steps.load(std::memory_order_acquire);
    if (!all) return;
    for (StepLog* const log : {&all->record, &all->agents, &all->rank_agents})
        if (log->wanted()) log->flush();
}

void finish_steps() {
    Steps* const all = g_steps.load(std::memory_order_acquire);
    if (!all) return;
    // One failure must not cost the other file.
    std::exception_ptr failure;
    for (StepLog* const log : {&all->record, &all->agents, &all->rank_agents}) {
        if (!log->wanted()) continue;
        try {
            log->finish();
        } catch (...) {
            if (!failure) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

void restart_steps_in_child() noexcept {
    if (Steps* const parents = g_steps.load(std::memory_order_relaxed)) {
        parents->record.disown();
        parents->agents.disown();
        parents->rank_agents.disown();
        g_parents = parents;
    }
    new (&g_making) std::mutex;
    g_steps.store(nullptr, std::memory_order_relaxed);
    detail::steps_wanted.store(detail::StepsWanted::unknown, std::memory_order_relaxed);
}

}  // namespace gimbal
