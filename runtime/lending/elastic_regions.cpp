// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/elastic_regions.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.hpp"
#include "gimbal/options.hpp"
#include "gimbal/rank_cores.h"
#include "lending/node_cores.hpp"

namespace {

constexpr double kShortest_us = 1000;  // of a region that gets surplus workers: waking them takes some 30 us
constexpr float kMaxOutside = 0.01F;   // part of a region that no loop takes, for it to become elastic
constexpr float kStillInside = 0.1F;   // for it to stay so: waking surplus workers and their leaving come on top
constexpr float kWorthwhile = 0.03F;   // offered cores, as a part of the region's time, for it to become elastic
constexpr float kStillWorth = 0.01F;   // for it to stay so
constexpr float kNewest = 0.25F;       // weight of the last execution in moving means

constinit std::atomic<std::uint64_t> with_numbers{0};

void average(float& mean, float value, bool first) noexcept {
    mean = first ? value : mean + kNewest * (value - mean);
}

}  // namespace

bool gimbal_region::begin() noexcept {
    const bool fits = seen_ >= kSeen && !refused_.load(kRelaxed) &&
                      length_ >= kShortest_us * gimbal::ticks_per_microsecond() &&
                      outside_ < length_ * (elastic_ ? kStillInside : kMaxOutside);
    const bool numbered = numbered_.load(kRelaxed);
    if (fits && !numbered) gimbal::node_cores().want();
    if (fits && numbered && !std::exchange(counted_, true)) with_numbers.fetch_add(1, kRelaxed);
    elastic_ = fits && !numbered && offered_ > length_ * (elastic_ ? kStillWorth : kWorthwhile);
    loops_.store(0, kRelaxed);
    surplus_.store(0, kRelaxed);
    begun_ = gimbal::ticks();
    return elastic_;
}

void gimbal_region::end(std::uint64_t now, std::uint64_t offered) noexcept {
    const auto length = static_cast<float>(std::max<std::uint64_t>(now - begun_, 1));
    const auto loops = static_cast<float>(loops_.load(kRelaxed));
    const auto used = static_cast<float>(surplus_.load(kRelaxed));
    // The first execution is like no other; the moving means begin with the second.
    const bool first = seen_ < 2;
    average(length_, length, first);
    average(outside_, std::max(0.0F, length - loops), first);
    average(offered_, used + static_cast<float>(offered), first);
    seen_ = std::min(seen_ + 1, kSeen);
}

void gimbal_region::begin_anew() noexcept {
    gone_.store(false, kRelaxed);
    seen_ = 0;
    elastic_ = false;
}

namespace gimbal {

namespace {

// All regions of the program that were seen.
constinit std::array<gimbal_region, 512> regions;
constinit std::atomic<int> teams{0};
constinit std::atomic<int> elastic_teams{0};  // of these
// A thread's surplus workers stay out of its own teams that are no larger than its elastic ones, but not out of other
// threads' teams. So a thread that forks an elastic team has a turn until another thread does.
constinit std::atomic<std::uint64_t> turn{1};  // nobody's at first
__thread std::uint64_t own_turn __attribute__((tls_model("initial-exec"))) = 0;
__thread std::uint32_t least_asked __attribute__((tls_model("initial-exec"))) = UINT32_MAX;  // for these [count]

void take_turn(std::uint32_t asked) noexcept {
    least_asked = std::min(least_asked, asked);
    if (own_turn != turn.load(std::memory_order_relaxed)) own_turn = turn.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

gimbal_region* region_of(const void* code) noexcept {
    const std::size_t start = (reinterpret_cast<std::uintptr_t>(code) * 0x9E3779B97F4A7C15U) >> 55U;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        gimbal_region& region = regions[(start + i) % regions.size()];
        if (region.is_of(code)) return &region;
    }
    return nullptr;
}

void forget_regions(std::uintptr_t begin, std::uintptr_t end) noexcept {
    for (gimbal_region& region : regions)
        if (region.lies_in(begin, end)) region.forget();
}

bool team_in_flight() noexcept {
    return teams.load(std::memory_order_relaxed) > 0;
}

}  // namespace gimbal

extern "C" {

uint32_t gimbal_elastic_threads(void) {
    return gimbal_rank_cores_on() ? gimbal::options().rank_threads : 0;
}

gimbal_team gimbal_team_begin(const void* code, uint32_t asked) {
    gimbal::teams.fetch_add(1, std::memory_order_relaxed);
    const gimbal_team ordinary{asked, asked, nullptr};
    const bool larger = asked > gimbal::options().rank_threads;
    if (larger) gimbal::node_cores().bring_home();  // the rank's own cores are all that such a team has
    const bool own_turn = gimbal::own_turn == gimbal::turn.load(std::memory_order_relaxed);
    if (!own_turn || asked > gimbal::least_asked) gimbal_team_inside();
    if (!code || larger) return ordinary;
    const uint32_t surplus = std::min(asked, gimbal::node_cores().for_others());
    if (surplus == 0) return ordinary;
    gimbal_region* const region = gimbal::region_of(code);
    if (!region || !region->enter()) return ordinary;
    if (!region->begin()) return {asked, asked, region};
    gimbal::take_turn(asked);
    gimbal::elastic_teams.fetch_add(1, std::memory_order_relaxed);
    return {asked + surplus, asked, region};
}

void gimbal_team_inside(void) {
    if (gimbal::elastic_teams.load(std::memory_order_relaxed) == 0) gimbal::node_cores().bring_home();
}

void gimbal_team_numbered(gimbal_region* region) {
    region->note_numbers();
}

uint64_t gimbal_regions_with_numbers(void) {
    return with_numbers.load(std::memory_order_relaxed);
}

void gimbal_team_end(gimbal_region* region) {
    gimbal::teams.fetch_sub(1, std::memory_order_relaxed);
    if (!region) return;
    region->end(gimbal::ticks(), gimbal::node_cores().offered_since(region->begun()));
    if (region->elastic()) gimbal::elastic_teams.fetch_sub(1, std::memory_order_relaxed);
    region->leave();
}

}  // extern "C"
