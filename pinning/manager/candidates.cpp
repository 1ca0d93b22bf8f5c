// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/candidates.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "counters/thread_clock.hpp"
#include "manager/tasks.hpp"
#include "manager/thread_record.hpp"

namespace gimbal::pin {

namespace {

/// What a thread must have used of a processor before it is taken for one that computes.
constexpr double kRipeCpu_s = 0.02;
constexpr double kRipeShare = 0.05;
constexpr std::size_t kMaxLeftAlone = 32;
/// Looks after which a thread is no longer taken for one that is just beginning, if the program makes threads all the
/// time.
constexpr int kPatience_looks = 20;
constexpr int kDealtWith = -1;

}  // namespace

void Candidates::add(RecordPointer record, double now) {
    const std::int64_t used = thread_cpu_ns(record->tid);
    all_.push_back({.record = std::move(record), .begun_s = now, .cpu_ns = std::max<std::int64_t>(0, used)});
}

void Candidates::forget_ended() {
    std::erase_if(all_, [](const Candidate& one) { return !one.record->alive; });
}

std::size_t Candidates::size() const noexcept {
    const auto stays = [](const Candidate& one) { return !one.record->left; };
    return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), stays));
}

bool Candidates::any_counts() const noexcept {
    return std::any_of(all_.begin(), all_.end(),
                       [](const Candidate& one) { return !one.record->left && one.record->counts.load(); });
}

bool Candidates::is_helper(Candidate& candidate) {
    if (std::exchange(candidate.judged, true)) return candidate.helper;
    const std::string library = helper_library(candidate.record->routine);
    candidate.helper = !library.empty();
    // Gimbal's own tell the user nothing.
    if (candidate.helper && !library.starts_with("libgimbal"))
        leave_alone(system_name(candidate.record->tid), "of " + library + ", which manages its own threads");
    return candidate.helper;
}

bool Candidates::ripe(Candidate& candidate, double now, std::size_t all) {
    ThreadRecord& record = *candidate.record;
    if (record.left) return false;
    if (record.asked || record.counts.load(std::memory_order_relaxed)) return true;
    // Somebody in a loop of a team computes, even if others leave him nothing: then he is who needs a processor most.
    if (within_loops(record) > kRipeCpu_s) return true;
    if (is_helper(candidate)) return false;
    const std::int64_t used = thread_cpu_ns(record.tid);
    if (used < 0) return false;
    const double cpu_s = 1e-9 * static_cast<double>(used - candidate.cpu_ns);
    const double age_s = now - candidate.begun_s;
    if (age_s < period_s_ || cpu_s < kRipeCpu_s) return false;
    // With many threads on few processors each gets little, and yet computes.
    const double fair = 1 / static_cast<double>(all);
    return cpu_s >= std::min(kRipeShare, 0.25 * fair) * age_s;
}

std::vector<RecordPointer> Candidates::take_ripe(double now, std::size_t workers) {
    std::vector<RecordPointer> ready;
    RecordPointer main;
    const std::size_t all = size() + workers;
    for (Candidate& candidate : all_) {
        if (!ripe(candidate, now, all)) continue;
        (candidate.record->main && !candidate.record->asked ? main : ready.emplace_back()) = candidate.record;
    }
    // OpenMP runtimes ask the main thread's mask how many processors there are, once, before they start threads.
    if (main && (workers > 0 || !ready.empty())) ready.insert(ready.begin(), main);
    std::erase_if(
        all_, [&](const Candidate& one) { return std::find(ready.begin(), ready.end(), one.record) != ready.end(); });
    return ready;
}

void Candidates::find_unknown(Registry& registry, pid_t self, bool at_once, const std::function<void(pid_t)>& found) {
    if (task_count() <= registry.size() + 1) {  // one is the manager's
        unknown_.clear();
        return;
    }
    const auto made = registry.all_arrived();
    std::vector<pid_t> tids = task_numbers();
    registry.remove_known(tids);
    const bool beginning = !made || registry.all_arrived() != made;
    std::map<pid_t, int> unknown;
    for (const pid_t tid : tids) {
        if (tid == self || tid == getpid()) continue;
        const auto before = unknown_.find(tid);
        int& looks = unknown[tid] = before == unknown_.end() ? 0 : before->second;
        if (looks == kDealtWith) continue;
        ++looks;
        // One that is just beginning may be about to become known; where others compute, its first slice may be late.
        if (beginning ? looks < kPatience_looks : !at_once && looks < 2) continue;
        looks = kDealtWith;
        leave_alone(system_name(tid), "not made by pthread_create(): it keeps the process's processors");
        found(tid);
    }
    unknown_ = std::move(unknown);
}

void Candidates::leave_alone(std::string name, std::string why) {
    const auto same = [&](const LeftAlone& one) { return one.name == name && one.why == why; };
    const auto found = std::find_if(left_alone_.begin(), left_alone_.end(), same);
    if (found != left_alone_.end())
        ++found->threads;
    else if (left_alone_.size() < kMaxLeftAlone)
        left_alone_.push_back({std::move(name), std::move(why), 1});
}

}  // namespace gimbal::pin
