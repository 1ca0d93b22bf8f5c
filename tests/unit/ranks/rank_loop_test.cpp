// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of the rank level as processes use it, with a thread in each process's place: one execution object per
// worker, and nothing in common but the place.
#include "gimbal/rank_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "engine/plan_cache.hpp"
#include "gimbal/loop.h"
#include "gimbal/technique.hpp"
#include "loop/site.hpp"
#include "ranks/packet.hpp"

namespace {

constexpr std::size_t kPacket = 65536;

int schedule_of(const std::string& text) {
    std::array<char, 512> message{};
    const int number = gimbal_rank_schedule(text.c_str(), message.data(), message.size());
    EXPECT_GT(number, 0) << message.data();
    return number;
}

/// Aligned memory for a place, as shared windows give it.
class Memory {
public:
    explicit Memory(std::size_t bytes) : data_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{128}))) {
        std::fill(data_, data_ + bytes, std::byte{0});
    }
    ~Memory() { ::operator delete (data_, std::align_val_t{128}); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    [[nodiscard]] std::byte* data() const { return data_; }

private:
    std::byte* data_;
};

/// P workers that run executions of one loop, each from an object of its own; worker 0 is the root.
class Ranks {
public:
    Ranks(const std::string& name, std::uint32_t ranks)
        : ranks_(ranks),
          site_(gimbal_rank_site(name.c_str(), ranks)),
          place_(gimbal_rank_place_bytes(ranks)),
          packet_(kPacket),
          parts_(gimbal_rank_part_bytes() * ranks) {
        gimbal_rank_place_make(place_.data(), ranks);
        for (std::uint32_t i = 1; i < ranks; ++i) objects_.push_back(gimbal_rank_execution());
    }
    ~Ranks() {
        for (void* const object : objects_) gimbal_rank_execution_free(object);
    }

    /// @return how often each iteration ran
    std::vector<int> run(std::uint64_t decided_for, std::uint64_t trip, int schedule, std::uint64_t most_steps = 0) {
        void* const root = gimbal_rank_decide(site_, decided_for, schedule);
        most_steps_ = most_steps;
        used_ = gimbal_rank_packet(root, packet_.data(), kPacket, most_steps);
        std::vector<std::atomic<int>> counts(trip);
        std::vector<std::thread> threads;
        for (std::uint32_t i = 0; i < ranks_; ++i)
            threads.emplace_back([&, i] { work(i == 0 ? root : objects_[i - 1], i, trip, counts); });
        for (std::thread& thread : threads) thread.join();
        for (std::uint32_t i = 1; i < ranks_; ++i) gimbal_rank_arrived(root, i, part(i));
        gimbal_rank_close(root, 1);
        gimbal_rank_place_reset(place_.data());
        return {counts.begin(), counts.end()};
    }

    [[nodiscard]] std::string technique() const {
        return std::string(gimbal::view_packet(packet_.data()).config.schedule.technique->info().name);
    }
    [[nodiscard]] std::size_t packet_bytes() const { return used_; }

private:
    static bool is_a_step(void* object, std::uint64_t first, std::uint64_t end) {
        const std::uint64_t* starts = nullptr;
        std::uint64_t chunk = 0;
        const std::uint64_t steps = gimbal_rank_steps(object, &starts, &chunk);
        if (!starts) return first % chunk == 0 && end == std::min(first + chunk, gimbal_rank_trip(object));
        const auto* const found = std::lower_bound(starts, starts + steps, first);
        return found < starts + steps && found[0] == first && found[1] == end;
    }
    std::byte* part(std::uint32_t worker) { return parts_.data() + worker * gimbal_rank_part_bytes(); }

    void work(void* object, std::uint32_t worker, std::uint64_t trip, std::vector<std::atomic<int>>& counts) {
        gimbal_rank_prepare(object, packet_.data(), trip, most_steps_, place_.data());
        gimbal_share share{};
        gimbal_loop_begin(object, worker, &share);
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        while (share.fast ? gimbal_share_next(&share, &first, &end) : gimbal_loop_next(&share, &first, &end)) {
            EXPECT_LT(first, end);
            if (most_steps_ > 0) {
                EXPECT_TRUE(is_a_step(object, first, end)) << first << " to " << end;
            }
            for (std::uint64_t i = first; i < end; ++i) counts[i].fetch_add(1, std::memory_order_relaxed);
        }
        gimbal_rank_leave(&share, nullptr, worker == 0 ? nullptr : part(worker));
    }

    std::uint32_t ranks_;
    void* site_;
    Memory place_;
    Memory packet_;
    Memory parts_;
    std::size_t used_ = 0;
    std::uint64_t most_steps_ = 0;
    std::vector<void*> objects_;
};

class EveryTechnique : public testing::TestWithParam<std::string> {};

TEST_P(EveryTechnique, RunsEveryIterationOnceFromSeparateObjects) {
    const int schedule = schedule_of(GetParam());
    for (const std::uint32_t ranks : {1U, 2U, 3U, 7U}) {
        Ranks team("once " + GetParam(), ranks);
        for (const std::uint64_t trip : {0U, 1U, 2U, 3U, 6U, 7U, 8U, 1000U}) {
            for (int repeat = 0; repeat < 3; ++repeat)
                ASSERT_EQ(team.run(trip, trip, schedule), std::vector<int>(trip, 1)) << ranks << " ranks, N " << trip;
        }
    }
}

TEST_P(EveryTechnique, RunsEveryIterationOnceWhereTheRootExpectedAnotherN) {
    const int schedule = schedule_of(GetParam());
    Ranks team("other N " + GetParam(), 3);
    for (const std::uint64_t trip : {0U, 5U, 100U, 999U})
        ASSERT_EQ(team.run(100, trip, schedule), std::vector<int>(trip, 1)) << "N " << trip;
}

TEST_P(EveryTechnique, GoesByFewStepsWhereThatIsAskedFor) {
    const int schedule = schedule_of(GetParam());
    Ranks team("few steps " + GetParam(), 3);
    void* const site = gimbal_rank_site("few steps", 3);
    void* const root = gimbal_rank_decide(site, 10000, schedule);
    std::vector<std::byte> packet(kPacket);
    gimbal_rank_packet(root, packet.data(), packet.size(), 64);
    void* const other = gimbal_rank_execution();
    gimbal_rank_prepare(other, packet.data(), 10000, 64, nullptr);
    const std::uint64_t* starts = nullptr;
    std::uint64_t chunk = 0;
    const std::uint64_t steps = gimbal_rank_steps(other, &starts, &chunk);
    EXPECT_GE(steps, 1U);
    EXPECT_LE(steps, 64U);
    gimbal_rank_execution_free(other);
    gimbal_rank_drop(root);
    // Three times: techniques that learn run from what the first time showed.
    for (int repeat = 0; repeat < 3; ++repeat)
        ASSERT_EQ(team.run(10000, 10000, schedule, 64), std::vector<int>(10000, 1)) << repeat;
}

std::vector<std::string> all_names() {
    std::vector<std::string> names{"runtime", "lws,0.5:1", "ss,3"};
    for (const gimbal::Technique* const technique : gimbal::techniques()) names.emplace_back(technique->info().name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryTechnique, testing::ValuesIn(all_names()), [](const auto& test) {
    std::string name = test.param;
    for (char& letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
    return name;
});

TEST(RankLoop, TechniquesWithQueuesBecomeFac2) {
    Ranks team("queues", 2);
    team.run(1000, 1000, schedule_of("static-steal"));
    EXPECT_EQ(team.technique(), "fac2");
}

TEST(RankLoop, APlanThatDoesNotFitGetsLargerChunks) {
    // 200000 steps of one iteration in a table of 1.6 MB, for a packet of 64 kB.
    Ranks team("large", 2);
    ASSERT_EQ(team.run(400000, 400000, schedule_of("lws,0.5:1")), std::vector<int>(400000, 1));
    EXPECT_LE(team.packet_bytes(), kPacket);
}

TEST(RankLoop, AnExecutionAsBeforeKeepsTheLimitOfSteps) {
    void* const root = gimbal_rank_decide(gimbal_rank_site("as before", 3), 10000, schedule_of("ss"));
    std::vector<std::byte> packet(kPacket);
    gimbal_rank_packet(root, packet.data(), packet.size(), 0);
    void* const object = gimbal_rank_execution();
    const auto steps = [&](const void* from, std::uint64_t trip, std::uint64_t most) {
        gimbal_rank_prepare(object, from, trip, most, nullptr);
        const std::uint64_t* starts = nullptr;
        std::uint64_t chunk = 0;
        return gimbal_rank_steps(object, &starts, &chunk);
    };
    EXPECT_EQ(steps(packet.data(), 10000, 0), 10000U);
    EXPECT_LE(steps(nullptr, 10000, 64), 64U);
    EXPECT_EQ(steps(packet.data(), 10000, 0), 10000U);
    EXPECT_LE(steps(nullptr, 20000, 64), 64U);
    EXPECT_LE(steps(packet.data(), 10000, 64), 64U) << "and so does one that the root decided without it";
    gimbal_rank_execution_free(object);
    gimbal_rank_drop(root);
}

TEST(RankLoop, APlanTravelsUnchanged) {
    gimbal::ExecutionConfig config;
    config.ascending = true;  // as ranks have it
    for (const char* const name : {"static", "ss", "fac2", "tss", "wf2", "af", "lws"}) {
        config.schedule = {gimbal::find_technique(name)};
        const std::vector<double> weights{0.5, 1.5, 1};
        auto plan = std::make_shared<gimbal::Plan>(
            config.schedule.technique->plan({.iterations = 1000, .workers = 3, .weights = weights}));
        plan->serial = 5;
        std::vector<std::byte> packet(kPacket);
        ASSERT_EQ(gimbal::fitting_plan(plan, config, packet.size(), 0), plan) << name;
        gimbal::write_packet(config, *plan, packet.data());
        const gimbal::PacketView view = gimbal::view_packet(packet.data());
        const auto copy = gimbal::plan_of(view);
        EXPECT_EQ(view.config, config) << name;
        EXPECT_EQ(copy->starts, plan->starts) << name;
        EXPECT_EQ(copy->shares, plan->shares) << name;
        EXPECT_EQ(copy->own, plan->own) << name;
        EXPECT_EQ(copy->claim, plan->claim) << name;
        EXPECT_EQ(copy->steps, plan->steps) << name;
        EXPECT_EQ(copy->chunk, plan->chunk) << name;
        EXPECT_EQ(copy->serial, 5U) << name;
    }
}

// Also where a plan is made anew, for a packet that is small, a bound on the steps or another N.
TEST(RankLoop, ANamedChunkIsKeptTogetherByEveryTechnique) {
    const auto cut_at_multiples = [](const gimbal::Plan& plan) {
        for (std::uint64_t k = 0; k < plan.steps; ++k)
            if (plan.first(k) % 48 != 0) return false;
        return plan.claim != gimbal::Claim::adaptive || (plan.unit % 48 == 0 && plan.chunk % 48 == 0);
    };
    for (const gimbal::Technique* const technique : gimbal::techniques()) {
        if (!technique->info().monotonic) continue;
        const std::string name(technique->info().name);
        const bool fraction = technique->info().fraction != gimbal::FractionSource::none;
        void* const site = gimbal_rank_site(("granules " + name).c_str(), 3);
        for (const std::uint64_t trip : {20000U, 100U, 1000000U}) {
            void* const root = gimbal_rank_decide(site, trip, schedule_of(name + (fraction ? ",:48" : ",48")));
            const gimbal::Execution& decided = *static_cast<gimbal::Execution*>(root);
            EXPECT_TRUE(cut_at_multiples(decided.plan())) << name;
            for (const auto& [capacity, most_steps] :
                 {std::pair<std::size_t, std::uint64_t>{1024, 0}, {kPacket, 64}, {kPacket, 3}}) {
                const auto plan = gimbal::fitting_plan(decided.shared_plan(), decided.config(), capacity, most_steps);
                EXPECT_TRUE(cut_at_multiples(*plan)) << name << " N=" << trip << " steps " << most_steps;
                const auto plain = gimbal::plain_plan(decided.config().schedule, plan->unit, 7 * trip, 3, most_steps);
                EXPECT_TRUE(cut_at_multiples(*plain)) << name << " N=" << 7 * trip;
            }
            gimbal_rank_drop(root);
        }
    }
}

// Objects are used again, and what one of them planned before is nobody else's.
TEST(RankLoop, WhatAnObjectRanBeforeDoesNotShow) {
    const auto packet_of = [](const char* name, std::uint64_t trip, std::uint64_t serial) {
        gimbal::ExecutionConfig config;
        config.schedule = {gimbal::find_technique(name)};
        gimbal::Plan plan = config.schedule.technique->plan({.iterations = trip, .workers = 3});
        plan.serial = serial;
        std::vector<std::byte> packet(kPacket);
        gimbal::write_packet(config, plan, packet.data());
        return packet;
    };
    const auto starts_of = [](void* object, const std::vector<std::byte>& packet) {
        gimbal_rank_prepare(object, packet.data(), 1000, 0, nullptr);
        const std::uint64_t* starts = nullptr;
        std::uint64_t chunk = 0;
        const std::uint64_t steps = gimbal_rank_steps(object, &starts, &chunk);
        return std::vector<std::uint64_t>(starts, starts + steps);
    };
    void* const used = gimbal_rank_execution();
    void* const fresh = gimbal_rank_execution();

    const std::uint64_t last = gimbal::next_plan_serial();
    const auto fac2 = starts_of(used, packet_of("fac2", 1000, last + 7));
    const auto tss = starts_of(fresh, packet_of("tss", 700, last + 8));
    EXPECT_NE(tss, fac2);
    EXPECT_EQ(starts_of(used, packet_of("tss", 700, last + 8)), tss) << "an old plan of as many iterations";
    for (std::uint64_t serial = last + 1; serial <= last + 8; ++serial)
        EXPECT_EQ(starts_of(used, packet_of("fac2", 1000, serial)), fac2) << "its own plan has the root's number";

    gimbal_rank_execution_free(used);
    gimbal_rank_execution_free(fresh);
}

TEST(RankLoop, WeightsThatAreGivenCountForWf2) {
    Ranks team("weights", 2);
    const std::array<double, 2> weights{3, 1};
    void* const site = gimbal_rank_site("weights", 2);
    gimbal_rank_given(site, weights.data(), 2, -1, -1);
    void* const root = gimbal_rank_decide(site, 8000, schedule_of("wf2"));
    gimbal_share share{};
    std::array<std::uint64_t, 2> size{};
    for (const std::uint32_t worker : {0U, 1U}) {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        gimbal_loop_begin(root, worker, &share);
        ASSERT_TRUE(gimbal_loop_next(&share, &first, &end));
        size[worker] = end - first;
        gimbal_rank_leave(&share, nullptr, nullptr);
    }
    gimbal_rank_drop(root);
    EXPECT_EQ(size[0], 3 * size[1]);
}

// A rank whose chunks another one of its node has drawn is begun and ended at the root when all is over.
TEST(RankLoop, AWorkerThatTheRootHearsOfLateTookPartWhenItSays) {
    void* const site = gimbal_rank_site("heard of late", 2);
    void* const root = gimbal_rank_decide(site, 100, schedule_of("fac2"));
    std::array<gimbal_share, 2> shares{};
    gimbal_loop_begin(root, 0, &shares[0]);
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    while (gimbal_rank_next(&shares[0], &first, &end)) {
    }
    gimbal_loop_begin(root, 1, &shares[1]);
    gimbal_rank_left(&shares[0], 1'000'000, 700);
    gimbal_rank_left(&shares[1], 1'000'200, 800);
    gimbal_rank_close(root, 1);
    EXPECT_EQ(static_cast<gimbal::LoopSite*>(site)->time(), 1000);
}

TEST(RankLoop, HAndSigmaThatAreGivenMakeFscsChunk) {
    void* const site = gimbal_rank_site("given fsc", 4);
    gimbal_rank_given(site, nullptr, 4, 2e-6, 1e-5);
    void* const root = gimbal_rank_decide(site, 100000, schedule_of("fsc"));
    const std::uint64_t* starts = nullptr;
    std::uint64_t chunk = 0;
    EXPECT_GT(gimbal_rank_steps(root, &starts, &chunk), 0U);
    gimbal_rank_drop(root);
    // (sqrt(2) 1e5 0.2 / (4 sqrt(ln 4)))^(2/3)
    EXPECT_EQ(chunk, 330U);
}

// Ranks convert with every request and chunk.
TEST(RankClock, ATickIsNotMeasuredAnewForEachConversion) {
    gimbal::start_clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const double first = gimbal_rank_tick_s();
    EXPECT_NEAR(first / gimbal::seconds_per_tick(), 1, 0.01);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(gimbal_rank_tick_s(), first);
}

}  // namespace
