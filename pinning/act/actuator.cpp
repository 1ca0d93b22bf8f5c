// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "act/actuator.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>

#include "machine/affinity.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {

constexpr std::size_t kMaxGiven = 4096;
constexpr unsigned kStaleLooks = 2;  // that of the ceiling's change, and the next

bool within(std::span<const int> part, std::span<const int> whole) {
    return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

}  // namespace

std::string_view outcome_name(Outcome outcome) noexcept {
    constexpr std::string_view kNames[] = {"done", "unchanged", "outside", "yielded", "gone", "refresh", "refused"};
    return kNames[static_cast<std::size_t>(outcome)];
}

Actuator::Actuator(std::vector<int> ceiling, pid_t pid, pid_t witness)
    : ceiling_(std::move(ceiling)),
      seen_(allowed_pus(witness)),
      all_granted_(is_all_granted(pid, ceiling_)),
      pid_(pid),
      witness_(witness) {
    assert(!ceiling_.empty() && std::is_sorted(ceiling_.begin(), ceiling_.end()));
}

Actuator::~Actuator() {
    restore_all();
}

bool Actuator::ceiling_is_old() const {
    const std::vector<int> now = allowed_pus(witness_);
    return !now.empty() && now != seen_;
}

Outcome Actuator::take(pid_t tid, bool even_if_narrowed) {
    if (const auto known = threads_.find(tid); known != threads_.end())
        return known->second.yielded ? Outcome::yielded : Outcome::unchanged;
    std::vector<int> mask;
    if (!is_thread_of(pid_, tid)) return Outcome::gone;
    if (const int error = get_affinity(tid, mask); error != 0) return report(tid, error);
    const bool narrowed = !even_if_narrowed && !within(ceiling_, mask);
    if (narrowed && ceiling_is_old()) return Outcome::refresh;
    threads_.insert_or_assign(tid, Entry{.original = mask, .standing = {}, .yielded = narrowed, .narrowed = narrowed});
    if (!narrowed) return Outcome::done;
    warn_once(told_narrowed_, "thread " + std::to_string(tid) + " is bound to processors " + pu_list_text(mask) +
                                  " already: Gimbal leaves such threads alone");
    return Outcome::yielded;
}

Outcome Actuator::place(pid_t tid, std::span<const int> pus) {
    if (pus.empty() || !std::is_sorted(pus.begin(), pus.end()) || !within(pus, ceiling_)) return Outcome::outside;
    const auto found = threads_.find(tid);
    if (found == threads_.end()) return Outcome::gone;
    Entry& entry = found->second;
    if (entry.yielded) return Outcome::yielded;
    if (entry.stale == 0 && std::equal(pus.begin(), pus.end(), entry.standing.begin(), entry.standing.end()))
        return Outcome::unchanged;
    if (!is_thread_of(pid_, tid)) return Outcome::gone;
    std::vector<int> wanted(pus.begin(), pus.end());
    if (const int error = set_affinity(tid, wanted); error != 0) return report(tid, error);
    if (given_.size() < kMaxGiven) given_.insert(wanted);
    entry.standing = std::move(wanted);
    entry.stale = 0;
    return Outcome::done;
}

Outcome Actuator::give_back(pid_t tid, Entry& entry) {
    if (entry.yielded) return Outcome::yielded;
    if (entry.standing.empty()) return Outcome::unchanged;
    if (!is_thread_of(pid_, tid)) return Outcome::gone;
    if (const int error = set_original(tid, entry); error != 0) return report(tid, error);
    entry.standing.clear();
    entry.stale = 0;
    entry.given_back = true;
    return Outcome::done;
}

// What was taken from the process meanwhile cannot be given back. If nothing is left, all that there is.
int Actuator::set_original(pid_t tid, const Entry& entry) const {
    if (all_granted_ && entry.original == ceiling_) return set_all_granted(tid, ceiling_);
    const std::vector<int> wanted = both(entry.original, ceiling_);
    return set_affinity(tid, wanted.empty() ? ceiling_ : wanted);
}

Outcome Actuator::release(pid_t tid) {
    const auto found = threads_.find(tid);
    return found == threads_.end() ? Outcome::gone : give_back(tid, found->second);
}

Outcome Actuator::drop(pid_t tid) {
    const Outcome outcome = release(tid);
    threads_.erase(tid);
    return outcome;
}

Outcome Actuator::free_heir(pid_t tid) {
    std::vector<int> mask;
    if (!is_thread_of(pid_, tid)) return Outcome::gone;
    if (const int error = get_affinity(tid, mask); error != 0) return report(tid, error);
    if (!given_.contains(mask) || mask == ceiling_) return Outcome::unchanged;
    const int error = all_granted_ ? set_all_granted(tid, ceiling_) : set_affinity(tid, ceiling_);
    return error == 0 ? Outcome::done : report(tid, error);
}

Outcome Actuator::leave(pid_t tid) {
    const auto found = threads_.find(tid);
    if (found == threads_.end()) return Outcome::gone;
    std::vector<int> mask;
    if (!found->second.yielded && get_affinity(tid, mask) == 0) yield(tid, found->second, mask, "the program");
    return Outcome::yielded;
}

Holder Actuator::check(pid_t tid) {
    const auto found = threads_.find(tid);
    if (found == threads_.end()) return Holder::nobody;
    Entry& entry = found->second;
    if (entry.yielded) return Holder::another;
    std::vector<int> mask;
    if (get_affinity(tid, mask) != 0) return Holder::gone;
    const std::vector<int>& expected = entry.standing.empty() ? entry.original : entry.standing;
    if (mask == expected) {
        if (entry.stale > 0) --entry.stale;
        return Holder::ours;
    }
    if (!is_thread_of(pid_, tid)) return Holder::gone;
    // The kernel cuts masks down when processors go away, and widens them when none would be left.
    if (entry.stale > 0 || ceiling_is_old()) {
        if (entry.standing.empty()) {
            entry.original = mask;
            entry.stale = 0;
        }
        return Holder::kernel;
    }
    // A thread that makes a child does so, and an OpenMP runtime that ends, to the thread that ends it.
    if (mask == entry.original) {
        entry.stale = 1;
        return Holder::self;
    }
    yield(tid, entry, mask, "another program");
    return Holder::another;
}

void Actuator::set_ceiling(std::vector<int> ceiling) {
    assert(!ceiling.empty() && std::is_sorted(ceiling.begin(), ceiling.end()));
    if (ceiling == ceiling_) return;
    for (auto& [tid, entry] : threads_) {
        entry.stale = kStaleLooks;
        if (entry.original == ceiling_) entry.original = ceiling;
    }
    ceiling_ = std::move(ceiling);
    seen_ = allowed_pus(witness_);
    all_granted_ = is_all_granted(pid_, ceiling_);
    for (auto& [tid, entry] : threads_) {
        if (!entry.given_back || !entry.standing.empty() || entry.yielded || !is_thread_of(pid_, tid)) continue;
        if (set_original(tid, entry) == 0) entry.stale = 0;
    }
}

std::size_t Actuator::restore_all() noexcept {
    std::size_t set = 0;
    for (auto& [tid, entry] : threads_) {
        try {
            // Somebody else's wish is not undone either, if it was made since the last check.
            if (check(tid) != Holder::gone && give_back(tid, entry) == Outcome::done) ++set;
        } catch (const std::exception&) {
            // Out of memory: the next thread may still be given back.
        }
    }
    return set;
}

std::vector<int> Actuator::own_mask(pid_t tid) const {
    const auto found = threads_.find(tid);
    if (found == threads_.end() || found->second.yielded || found->second.standing.empty()) return {};
    return found->second.original;
}

bool Actuator::had_all_granted(pid_t tid) const noexcept {
    const auto found = threads_.find(tid);
    return found != threads_.end() && all_granted_ && found->second.original == ceiling_;
}

std::vector<int> Actuator::given_mask(pid_t tid) const {
    const auto found = threads_.find(tid);
    return found == threads_.end() || found->second.yielded ? std::vector<int>{} : found->second.standing;
}

bool Actuator::is_yielded(pid_t tid) const noexcept {
    const auto found = threads_.find(tid);
    return found != threads_.end() && found->second.yielded;
}

bool Actuator::was_narrowed(pid_t tid) const noexcept {
    const auto found = threads_.find(tid);
    return found != threads_.end() && found->second.narrowed;
}

Outcome Actuator::report(pid_t tid, int error) {
    if (error == ESRCH) return Outcome::gone;
    if (error == EINVAL) return Outcome::refresh;
    warn_once(told_refused_, "the mask of thread " + std::to_string(tid) +
                                 " may not be changed: " + std::generic_category().message(error));
    return Outcome::refused;
}

void Actuator::yield(pid_t tid, Entry& entry, const std::vector<int>& found, std::string_view who) {
    entry.yielded = true;
    entry.standing.clear();
    warn_once(told_yield_, std::string(who) + " has bound thread " + std::to_string(tid) + " to processors " +
                               pu_list_text(found) + ": Gimbal leaves such threads alone from now on");
}

void Actuator::warn_once(bool& told, std::string text) {
    if (std::exchange(told, true)) return;
    warnings_.push_back(std::move(text));
}

}  // namespace gimbal::pin
