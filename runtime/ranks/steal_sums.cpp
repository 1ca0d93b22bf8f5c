// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/steal_sums.hpp"

#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "gimbal/rank_loop.h"

namespace gimbal {

namespace {

using Key = std::pair<std::string, std::uint32_t>;  // name and ranks

struct Store {
    std::mutex mutex;
    std::map<Key, LoopSummary> loops;
    Store* left = nullptr;  // the parent's, after a fork; never looked at
};

// Never destroyed: used until the very end of the process. A pointer, so that a forked child can begin anew.
Store*& store() noexcept {
    static Store* the_store = new Store;
    return the_store;
}

LoopSummary empty_summary(const std::string& name, const gimbal_steal_totals& totals) {
    LoopSummary loop;
    loop.name = name;
    loop.workers = totals.ranks;
    loop.over_ranks = true;
    loop.schedules = {{"stealing", totals.rule == GIMBAL_STEAL_SEED ? "seed" : "nearest"}};
    loop.per_worker.resize(1);
    loop.steals.emplace();
    return loop;
}

void add(const gimbal_steal_totals& totals, StealFigures& sum) noexcept {
    sum.own += totals.own;
    sum.stolen += totals.stolen;
    sum.given += totals.given;
    sum.attempts += totals.attempts;
    sum.successes += totals.successes;
    sum.bytes_in += totals.bytes_in;
    sum.bytes_out += totals.bytes_out;
    sum.waiting_s += totals.waiting_s;
    sum.ratio = totals.ratio;
}

}  // namespace

bool any_steals() noexcept {
    Store& all = *store();
    const std::lock_guard lock(all.mutex);
    return !all.loops.empty();
}

std::vector<LoopSummary> steal_summaries() {
    Store& all = *store();
    const std::lock_guard lock(all.mutex);
    std::vector<LoopSummary> list;
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

void gimbal_steal_report(const char* name, const gimbal_steal_totals* totals) {
    using namespace gimbal;
    Store& all = *store();
    const std::lock_guard lock(all.mutex);
    const Key key(name, totals->ranks);
    auto found = all.loops.find(key);
    if (found == all.loops.end()) found = all.loops.emplace(key, empty_summary(key.first, *totals)).first;
    LoopSummary& loop = found->second;
    add(*totals, *loop.steals);
    loop.calls += 1;
    loop.iterations += totals->own + totals->stolen;
    loop.time_s += totals->busy_s + totals->waiting_s;
    loop.busy_max_s += totals->busy_s;
    loop.busy_mean_s += totals->busy_s;
    loop.schedules[0].calls = loop.calls;
    loop.schedules[0].time_s = loop.time_s;
    loop.per_worker[0].busy_s = loop.busy_max_s;
    loop.per_worker[0].iterations = loop.iterations;
}
