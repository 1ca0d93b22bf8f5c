// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All atomics here are relaxed: grains carry no data, and the team met at the start of the execution, which published
// the queues (partner: the acquire load by which a worker found the execution).
#include "engine/work_queues.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/admission.hpp"

namespace gimbal {

namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;

constexpr std::uint64_t pack(std::uint64_t head, std::uint64_t end) noexcept {
    return head | end << 32U;
}

constexpr Range unpack(std::uint64_t word) noexcept {
    return {word & UINT32_MAX, word >> 32U};
}

// iCh's classes: a worker is ahead or behind when its progress differs from the mean by more than this part of it.
constexpr double kProgressBand = 0.33;
constexpr std::uint32_t kMinDivisor = 2;  // a draw leaves something for thieves
constexpr std::uint32_t kMaxDivisor = 1U << 20U;

constexpr std::uint64_t kSplit = 4;  // a thief takes no less than a draw of the victim's, cut by this
constexpr std::uint64_t kStride = 4;
constexpr std::size_t kFew = 8;  // queues that are looked at faster than a counter of the filled ones is kept

constexpr unsigned kSameNode = 3;  // Topology::distance(): from farther away a thief brings home half at once

}  // namespace

void WorkQueues::prepare(const Plan& plan, std::uint64_t parts, bool fine) {
    plan_ = &plan;
    parts_ = parts;
    stride_ = fine ? 1 : kStride;
    counts_ = parts > 0 && plan.queues.size() > kFew;
    std::uint32_t full = 0;
    machine_ = plan.rules.victims == Victims::nearest ? &topology() : nullptr;
    const std::size_t lanes = std::max<std::size_t>(plan.queues.size(), plan.workers);
    if (lanes_.size() < lanes) {
        lanes_ = std::vector<Lane>(lanes);
        std::uint64_t seed = 0x9E3779B97F4A7C15U;
        for (Lane& lane : lanes_) lane.worker.random = seed += 0xBF58476D1CE4E5B9U;
    }
    for (std::size_t q = 0; q < plan.queues.size(); ++q) {
        lanes_[q].queue.word.store(pack(plan.queues[q].first, plan.queues[q].end), kRelaxed);
        if (parts == 0) continue;
        lanes_[q].queue.part.store(std::max<std::uint64_t>((plan.queues[q].size() + parts - 1) / parts, 1), kRelaxed);
        full += plan.queues[q].size() > 0 ? 1 : 0;
    }
    if (parts > 0) question_.store(0, kRelaxed);
    if (counts_) filled_.store(full, kRelaxed);
    if (!plan.rules.takes_part) return;
    for (Lane& lane : lanes_) {
        Worker& worker = lane.worker;
        worker.done.store(0, kRelaxed);
        worker.divisor.store(std::max(kMinDivisor, plan.workers), kRelaxed);
    }
}

void WorkQueues::enter(std::uint32_t worker, int cpu) noexcept {
    Worker& self = lanes_[worker].worker;
    self.in_hand = 0;
    self.claim = {};
    held(worker) = {};
    self.last_victim = worker / plan_->workers_per_queue;
    if (self.cpu.load(kRelaxed) != cpu) self.cpu.store(cpu, kRelaxed);
}

bool WorkQueues::own_is_empty(std::uint32_t worker) const noexcept {
    return unpack(lanes_[worker / plan_->workers_per_queue].queue.word.load(kRelaxed)).size() == 0;
}

Range WorkQueues::draw(std::uint32_t worker) noexcept {
    Worker& self = lanes_[worker].worker;
    if (plan_->rules.takes_part) adapt(worker);
    Range grains = take_own(worker, lanes_[worker / plan_->workers_per_queue].queue);
    if (grains.size() == 0) grains = steal(worker);
    self.in_hand = grains.size();
    return grains;
}

std::uint64_t WorkQueues::amount(std::uint32_t worker, std::uint64_t left) const noexcept {
    if (parts_ > 0) return std::min(lanes_[worker / plan_->workers_per_queue].queue.part.load(kRelaxed), left);
    std::uint64_t wanted = plan_->rules.take;
    if (plan_->rules.takes_part) wanted = std::max(wanted, left / lanes_[worker].worker.divisor.load(kRelaxed));
    return std::min(wanted, left);
}

Range WorkQueues::draw_own(std::uint32_t worker) noexcept {
    Queue& queue = lanes_[worker].queue;
    Range& claim = lanes_[worker].worker.claim;
    if (asked()) {
        if (claim.size() > 0) {
            queue.word.store(pack(claim.first, claim.end), kRelaxed);
            queue.claimed.store(0, kRelaxed);
            claim = {};
        }
        return take_own(worker, queue);
    }
    if (claim.size() == 0) {
        std::uint64_t word = queue.word.load(kRelaxed);
        if (unpack(word).size() == 0) return {};
        queue.claimed.store(1, kRelaxed);
        do {
            claim = unpack(word);
        } while (claim.size() > 0 && !queue.word.compare_exchange_weak(word, pack(claim.end, claim.end), kRelaxed));
        if (claim.size() == 0) {  // thieves were faster
            queue.claimed.store(0, kRelaxed);
            return {};
        }
    }
    const Range taken{claim.first, claim.first + std::min(claimed_part(worker), claim.size())};
    claim.first = taken.end;
    if (claim.size() == 0) drop_claim(worker);
    return taken;
}

void WorkQueues::drop_claim(std::uint32_t worker) noexcept {
    lanes_[worker].worker.claim = {};
    lanes_[worker].queue.claimed.store(0, kRelaxed);
    emptied();
}

void WorkQueues::advance(std::uint32_t worker, std::uint64_t grain) noexcept {
    const Range left = unpack(lanes_[worker].queue.word.load(kRelaxed));
    if (left.size() == 0) return;
    lanes_[worker].queue.word.store(pack(std::min(grain, left.end), left.end), kRelaxed);
    if (grain >= left.end) emptied();
}

bool WorkQueues::somebody_claims() const noexcept {
    if (counts_) return filled_.load(kRelaxed) > 0;
    const std::size_t count = plan_->queues.size();
    for (std::size_t q = 0; q < count; ++q) {
        if (lanes_[q].queue.claimed.load(kRelaxed) != 0) return true;
    }
    return false;
}

Range WorkQueues::take_own(std::uint32_t worker, Queue& queue) noexcept {
    std::uint64_t word = queue.word.load(kRelaxed);
    for (;;) {
        const Range left = unpack(word);
        if (left.size() == 0) return {};
        const Range taken{left.first, left.first + amount(worker, left.size())};
        if (!queue.word.compare_exchange_weak(word, pack(taken.end, left.end), kRelaxed)) continue;
        if (taken.end == left.end) emptied();
        return taken;
    }
}

Range WorkQueues::steal(std::uint32_t thief) noexcept {
    await_admission(lanes_[thief].worker.random, plan_->admission);
    for (;;) {
        const std::uint32_t victim = next_victim(thief);
        if (victim == kNobody) return {};
        Range stolen = steal_from(thief, victim);
        if (stolen.size() == 0) continue;  // others were faster: look again
        lanes_[thief].worker.last_victim = victim;
        ++lanes_[thief].worker.steals;
        keep(thief, stolen);
        return stolen;
    }
}

std::uint32_t WorkQueues::next_victim(std::uint32_t thief) noexcept {
    if (counts_ && filled_.load(kRelaxed) == 0) return kNobody;
    if (plan_->rules.victims == Victims::nearest) return nearest_victim(thief);
    Worker& self = lanes_[thief].worker;
    const auto count = static_cast<std::uint32_t>(plan_->queues.size());
    std::uint32_t victim = self.last_victim;
    if (plan_->rules.victims == Victims::random) victim = static_cast<std::uint32_t>(next_random(self.random) % count);
    for (std::uint32_t looked = 0; looked < count; ++looked) {
        if (unpack(lanes_[victim].queue.word.load(kRelaxed)).size() > 0) return victim;
        victim = victim + 1 == count ? 0 : victim + 1;
    }
    return kNobody;
}

// By distance first, by what is left second. The place of a queue is that of its first worker.
std::uint32_t WorkQueues::nearest_victim(std::uint32_t thief) const noexcept {
    const int here = lanes_[thief].worker.cpu.load(kRelaxed);
    std::uint32_t best = kNobody;
    unsigned best_distance = 0;
    std::uint64_t best_left = 0;
    for (std::uint32_t q = 0; q < plan_->queues.size(); ++q) {
        const std::uint64_t left = unpack(lanes_[q].queue.word.load(kRelaxed)).size();
        if (left == 0) continue;
        const int there = lanes_[q * plan_->workers_per_queue].worker.cpu.load(kRelaxed);
        const unsigned distance = machine_->distance(here, there);
        if (best == kNobody || distance < best_distance || (distance == best_distance && left > best_left)) {
            best = q;
            best_distance = distance;
            best_left = left;
        }
    }
    return best;
}

Range WorkQueues::steal_from(std::uint32_t thief, std::uint32_t victim) noexcept {
    Worker& self = lanes_[thief].worker;
    const Worker& other = lanes_[victim * plan_->workers_per_queue].worker;
    const bool half = plan_->rules.steals_half ||
                      (machine_ && machine_->distance(self.cpu.load(kRelaxed), other.cpu.load(kRelaxed)) > kSameNode);
    std::atomic<std::uint64_t>& queue = lanes_[victim].queue.word;
    std::uint64_t word = queue.load(kRelaxed);
    for (;;) {
        const Range left = unpack(word);
        if (left.size() == 0) return {};
        const std::uint64_t part = lanes_[victim].queue.part.load(kRelaxed);
        const std::uint64_t one = std::min(parts_ > 0 ? (part + kSplit - 1) / kSplit : plan_->rules.take, left.size());
        const Range taken{left.end - (half ? std::max(one, (left.size() + 1) / 2) : one), left.end};
        if (!queue.compare_exchange_weak(word, pack(left.first, taken.first), kRelaxed)) continue;
        if (taken.first == left.first) emptied();
        if (parts_ > 0) lanes_[thief / plan_->workers_per_queue].queue.part.store(part, kRelaxed);
        if (plan_->rules.takes_part) {
            // The thief starts from the mean of both histories.
            self.done.store((self.done.load(kRelaxed) + other.done.load(kRelaxed)) / 2, kRelaxed);
            self.divisor.store(std::max(kMinDivisor, (self.divisor.load(kRelaxed) + other.divisor.load(kRelaxed)) / 2),
                               kRelaxed);
        }
        return taken;
    }
}

// A thief runs one draw at once and puts the rest into its own queue, where others can steal it again. If a mate of
// the same queue has refilled it meanwhile, the thief keeps all.
void WorkQueues::keep(std::uint32_t thief, Range& stolen) noexcept {
    const std::uint64_t mine = amount(thief, stolen.size());
    if (mine == stolen.size()) return;
    std::atomic<std::uint64_t>& own = lanes_[thief / plan_->workers_per_queue].queue.word;
    std::uint64_t word = own.load(kRelaxed);
    if (unpack(word).size() != 0) return;
    const std::uint64_t rest = pack(stolen.first + mine, stolen.end);
    if (counts_) filled_.fetch_add(1, kRelaxed);
    if (own.compare_exchange_strong(word, rest, kRelaxed)) {
        stolen.end = stolen.first + mine;
    } else {
        emptied();
    }
}

// After a draw: who is behind takes smaller parts, who is ahead larger ones, so that what costs most is left to
// thieves. The other way round the slowest draws half of its queue at once: `gimbal simulate --app triangular --workers
// 16` took 1.33 of the ideal time, and 1.003 so.
void WorkQueues::adapt(std::uint32_t worker) noexcept {
    Worker& self = lanes_[worker].worker;
    if (self.in_hand == 0) return;
    const std::uint64_t done = self.done.load(kRelaxed) + self.in_hand;
    self.done.store(done, kRelaxed);
    double sum = 0;
    for (std::uint32_t i = 0; i < plan_->workers; ++i) sum += static_cast<double>(lanes_[i].worker.done.load(kRelaxed));
    const double mean = sum / plan_->workers;
    const std::uint32_t divisor = self.divisor.load(kRelaxed);
    const auto progress = static_cast<double>(done);
    if (progress < mean * (1 - kProgressBand)) {
        self.divisor.store(std::min(kMaxDivisor, divisor * 2), kRelaxed);
    } else if (progress > mean * (1 + kProgressBand)) {
        self.divisor.store(std::max(kMinDivisor, divisor / 2), kRelaxed);
    }
}

}  // namespace gimbal
