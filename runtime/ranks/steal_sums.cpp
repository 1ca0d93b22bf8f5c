// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/steal_sums.hpp"

#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/process_state.hpp"
#include "gimbal/per_rank.hpp"
#include "gimbal/rank_loop.h"

namespace gimbal {

namespace {

using Key = std::pair<std::string, std::uint32_t>;  // name and ranks

struct Store {
    std::mutex mutex;
    std::map<Key, LoopSummary> loops;
    Store* left = nullptr;  // the parent's, after a fork; never looked at
};

struct Stores {
    Store first;
    Store* now = &first;  // a pointer, so that a forked child can begin anew
};

Store*& store() noexcept {
    static PerRank<Stores> stores;
    return stores.here().now;
}

LoopSummary empty_summary(const std::string& name, std::uint32_t ranks, int rule) {
    LoopSummary loop;
    loop.name = name;
    loop.workers = ranks;
    loop.over_ranks = true;
    loop.schedules = {{"stealing", rule == GIMBAL_STEAL_SEED ? "seed" : "nearest"}};
    loop.per_worker.resize(1);
    loop.steals.emplace();
    return loop;
}

std::uint64_t count(std::int64_t value) noexcept {
    return static_cast<std::uint64_t>(value);
}

void add(const gimbal_steal_record& record, StealFigures& sum) noexcept {
    sum.own += count(record.own);
    sum.stolen += count(record.stolen);
    sum.given += count(record.given);
    sum.attempts += count(record.attempts);
    sum.successes += count(record.successes);
    sum.bytes_in += count(record.bytes_in);
    sum.bytes_out += count(record.bytes_out);
    sum.waiting_s += record.waiting_s;
    sum.ratio = record.ratio;
}

}  // namespace

bool any_steals() noexcept {
    Store& all = *store();
    const auto lock = lock_or_give_up(all.mutex);
    return !lock.owns_lock() || !all.loops.empty();
}

std::vector<LoopSummary> steal_summaries() {
    Store& all = *store();
    const auto lock = lock_or_give_up(all.mutex);
    std::vector<LoopSummary> list;
    if (!lock.owns_lock()) {
        note_missing("loops with work stealing");
        return list;
    }
    for (const auto& [key, loop] : all.loops) list.push_back(loop);
    return list;
}

void restart_steals_in_child() noexcept {
    // The parent's may be locked for ever, and half written.
    auto* const fresh = new (std::nothrow) Store;
    if (!fresh) return;
    fresh->left = store();
    store() = fresh;
}

}  // namespace gimbal

void gimbal_steal_report(const char* name, uint32_t ranks, int rule, const gimbal_steal_record* record) {
    using namespace gimbal;
    if (after_new_loop) after_new_loop();
    Store& all = *store();
    const std::lock_guard lock(all.mutex);
    const Key key(name, ranks);
    auto found = all.loops.find(key);
    if (found == all.loops.end()) found = all.loops.emplace(key, empty_summary(key.first, ranks, rule)).first;
    LoopSummary& loop = found->second;
    add(*record, *loop.steals);
    loop.calls += 1;
    loop.iterations += count(record->own + record->stolen);
    loop.time_s += record->busy_s + record->waiting_s;
    loop.busy_max_s += record->busy_s;
    loop.busy_mean_s += record->busy_s;
    loop.schedules[0].calls = loop.calls;
    loop.schedules[0].time_s = loop.time_s;
    loop.per_worker[0].busy_s = loop.busy_max_s;
    loop.per_worker[0].iterations = loop.iterations;
}
