// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// There is no memory, or it ends anywhere in between: no function of the C interface ends the process for that, and
// none throws but those of <gimbal/rank_loop.h> that say so.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/warnings.hpp"
#include "config/load.hpp"
#include "config/selection.hpp"
#include "gimbal/gimbal.h"
#include "gimbal/pin_settings.hpp"
#include "gimbal/rank_loop.h"
#include "gimbal/rank_waiting.h"
#include "gimbal/technique.hpp"
#include "limited_memory.hpp"
#include "loop/schedules.hpp"
#include "ranks/steal_sums.hpp"
#include "select/background.hpp"
#include "team.hpp"
#include "topology/topology.hpp"

namespace gimbal {
namespace {

using test::blocks_left;
using test::FewBlocks;

constexpr long kEnough = 2000;  // blocks that anything here takes

/// Calls it with no block, one, two and so on, until that is more than it takes. @return how often it had too few
template <class Call>
long with_ever_more(Call call) {
    for (long blocks = 0; blocks < kEnough; ++blocks) {
        bool enough = false;
        {
            const FewBlocks few(blocks);
            call();
            enough = blocks_left > 0;
        }
        if (enough) return blocks;
    }
    ADD_FAILURE() << "it takes more than " << kEnough << " blocks";
    return kEnough;
}

// The first test: later ones have read it.
TEST(NoMemory, WhereTheEnvironmentCannotBeReadGimbalIsKeptOut) {
    int number = 0;
    {
        const FewBlocks none(0);
        number = gimbal_schedule_parse("gss");
    }
    EXPECT_EQ(number, GIMBAL_SCHEDULE_REFUSED);
    EXPECT_GT(gimbal_schedule_parse("gss"), 0);
}

TEST(NoMemory, ANoteIsKeptOrRefused) {
    constexpr const char* kAbout = "a loop whose name takes memory";
    ASSERT_EQ(gimbal_report_note(kAbout, "said before"), 0);
    int code = 0;
    {
        const FewBlocks none(0);
        code = gimbal_report_note(kAbout, "said afterwards");
    }
    EXPECT_EQ(code, GIMBAL_ERROR_UNSUPPORTED);
    EXPECT_EQ(warnings(), std::vector<std::string>{std::string("NOTE ") + kAbout + ": said before"});
    EXPECT_GT(with_ever_more([&] { code = gimbal_report_note(kAbout, "said afterwards"); }), 0);
    EXPECT_EQ(code, 0);
    EXPECT_EQ(warnings(), std::vector<std::string>{std::string("NOTE ") + kAbout + ": said afterwards"});
}

TEST(NoMemory, AStaticFractionIsSetOrRefused) {
    constexpr const char* kPattern = "a_file_whose_name_takes_memory.c:12*";
    auto desc = test::loop_desc(0, 100, 2, gimbal_schedule_parse("lws"));
    desc.source = ";a_file_whose_name_takes_memory.c;function;12;5;;";
    const LoopSite* site = nullptr;
    EXPECT_GT(with_ever_more([&] { site = find_site(desc); }), 0);
    ASSERT_NE(site, nullptr);
    EXPECT_EQ(all_sites().size(), 1U) << "where memory ended nothing was left behind";
    int code = 0;
    EXPECT_GT(with_ever_more([&] { code = gimbal_set_static_fraction(kPattern, 0.25); }), 0);
    EXPECT_EQ(code, 0);
    {
        const FewBlocks none(0);
        code = gimbal_set_static_fraction(kPattern, 0.75);
    }
    EXPECT_EQ(code, GIMBAL_ERROR_UNSUPPORTED);
    double fraction = 0;
    EXPECT_GT(with_ever_more([&] { fraction = gimbal_get_static_fraction(kPattern); }), 0);
    EXPECT_EQ(fraction, 0.25);
    with_ever_more([&] { code = gimbal_set_static_fraction(nullptr, 0.5); });
    EXPECT_EQ(code, GIMBAL_ERROR_WRONG_USE) << "this thread is in no loop";
}

TEST(NoMemory, OfASpellingTheNameIsLeft) {
    const int schedule = gimbal_schedule_parse("nonmonotonic:lws-staggered,0.8:16");
    ASSERT_GT(schedule, 0);
    std::array<char, GIMBAL_SCHEDULE_BYTES> text{};
    const auto print = [&] { gimbal_schedule_print(schedule, text.data(), text.size()); };
    {
        const FewBlocks none(0);
        print();
    }
    EXPECT_STREQ(text.data(), "lws-staggered");
    with_ever_more(print);
    EXPECT_STREQ(text.data(), "nonmonotonic:lws-staggered,0.8:16");
}

TEST(NoMemory, ASettingIsTakenOrRefused) {
    int number = 0;
    with_ever_more([&] { number = gimbal_schedule_parse("  nonmonotonic : lws-staggered , 0.8 : 17  "); });
    EXPECT_GT(number, 0);
    with_ever_more([&] { number = gimbal_schedule_parse("a schedule that does not exist, anywhere"); });
    EXPECT_EQ(number, GIMBAL_SCHEDULE_REFUSED);
    std::array<char, 64> message{};
    with_ever_more([&] { number = gimbal_rank_schedule("there is no such schedule", message.data(), message.size()); });
    EXPECT_EQ(number, 0);
}

/// Eight executions of a new loop by one thread in the place of all workers.
/// @return how many ran, all iterations of them; the others were left to the caller, and one is dropped
int run_loop(int schedule, long blocks) {
    static std::uintptr_t place = 0x1000;
    const auto desc = test::loop_desc(++place, 100, 2, schedule);
    std::array<gimbal_share, 2> shares{};
    int right = 0;
    const FewBlocks few(blocks);
    for (int execution = 0; execution < 8; ++execution) {
        void* const opened = gimbal_loop_open(&desc);
        if (!opened) continue;
        std::uint64_t ran = 0, first = 0, end = 0;
        for (std::uint32_t worker = 0; worker < desc.workers; ++worker)
            gimbal_loop_begin(opened, worker, &shares[worker]);
        for (gimbal_share& share : shares)
            while (gimbal_loop_next(&share, &first, &end)) ran += end - first;
        if (execution == 6) {
            gimbal_loop_leave(&shares[0]);
            gimbal_loop_drop(opened);
            continue;
        }
        for (gimbal_share& share : shares) gimbal_loop_end(&share);
        if (ran != desc.trip) return -1;
        ++right;
    }
    return right;
}

void run_loops(std::string_view schedule) {
    const int number = intern(parse_schedule(schedule));
    for (long blocks = 0; blocks < 300; blocks += blocks < 40 ? 1 : 7)
        EXPECT_GE(run_loop(number, blocks), 0) << schedule << ", " << blocks << " blocks";
    EXPECT_EQ(run_loop(number, kEnough), 7) << schedule;
}

TEST(NoMemory, ALoopRunsUnderEveryTechnique) {
    for (const Technique* const technique : techniques()) run_loops(technique->info().name);
}

TEST(NoMemory, ALoopRunsUnderEverySelector) {
    for (const SelectorInfo& selector : selectors()) run_loops(selector.name);
}

TEST(NoMemory, StepsAreLostAndLoopsAreNot) {
    const std::string folder = testing::TempDir() + "no-memory-steps";
    std::filesystem::create_directories(folder);
    set_option("record", folder + "/steps.csv");
    run_loops("sarsa");
    std::filesystem::remove_all(folder);
}

/// Memory for a place and a packet.
struct alignas(128) Shared {
    std::array<std::byte, 8192> place{};
    std::array<std::byte, 65536> packet{};
    std::array<std::byte, 65536> part{};
};

/// A rank that draws for itself and is not the root. @return whether there was memory to prepare
bool follow(Shared& shared, std::uint64_t trip, long blocks) {
    void* const execution = gimbal_rank_execution();
    bool prepared = true;
    try {
        const FewBlocks few(blocks);
        gimbal_rank_prepare(execution, shared.packet.data(), trip, 0, shared.place.data());
    } catch (const std::bad_alloc&) {
        prepared = false;
    }
    if (prepared) {
        const FewBlocks none(0);  // from here on it takes none
        gimbal_share share{};
        std::uint64_t first = 0, end = 0;
        gimbal_loop_begin(execution, 1, &share);
        while (gimbal_loop_next(&share, &first, &end)) {
        }
        gimbal_rank_leave(&share, nullptr, shared.part.data());
    }
    gimbal_rank_execution_free(execution);
    return prepared;
}

TEST(NoMemory, ARankThatDrawsForItselfTakesItBeforeItBegins) {
    constexpr std::uint64_t kTrip = 1000;
    static Shared shared;
    ASSERT_LE(gimbal_rank_part_bytes(), shared.part.size());
    ASSERT_LE(gimbal_rank_place_bytes(2), shared.place.size());
    gimbal_rank_place_make(shared.place.data(), 2);
    for (const char* const schedule : {"fac2", "fsc", "feedback", "af", "tap", "binlpt", "auto"}) {
        void* const site = gimbal_rank_site((std::string("a loop over ranks: ") + schedule).c_str(), 2);
        const int number = gimbal_rank_schedule(schedule, nullptr, 0);
        ASSERT_GT(number, 0) << schedule;
        for (int execution = 0; execution < 4; ++execution) {
            void* const root = gimbal_rank_decide(site, kTrip, number);
            gimbal_rank_packet(root, shared.packet.data(), shared.packet.size(), 0);
            for (long blocks = 0; blocks < 20; ++blocks) {
                gimbal_rank_place_reset(shared.place.data());
                follow(shared, kTrip, blocks);
            }
            gimbal_rank_place_reset(shared.place.data());
            EXPECT_TRUE(follow(shared, kTrip, kEnough)) << schedule;
            gimbal_rank_drop(root);
        }
    }
}

/// One execution whose chunks the root hands out; only functions that say so throw.
void hand_out(void* site, int schedule, Shared& shared) {
    void* root = nullptr;
    try {
        root = gimbal_rank_decide(site, 1000, schedule);
    } catch (const std::bad_alloc&) {
        return;
    }
    try {
        gimbal_rank_packet(root, shared.packet.data(), shared.packet.size(), 0);
        gimbal_rank_prepare(root, nullptr, 1000, 0, nullptr);
    } catch (const std::bad_alloc&) {
        return gimbal_rank_drop(root);
    }
    std::array<gimbal_share, 2> shares{};
    std::uint64_t first = 0, end = 0;
    const gimbal_rank_cost cost{0, 1e-6F, 1};
    for (std::uint32_t worker = 0; worker < 2; ++worker) gimbal_loop_begin(root, worker, &shares[worker]);
    for (gimbal_share& share : shares)
        while (gimbal_rank_next(&share, &first, &end)) gimbal_rank_reported(&share, first, end, 100);
    (void)gimbal_rank_within(root);
    (void)gimbal_rank_least(root);
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
        gimbal_rank_left(&shares[worker], gimbal_rank_ticks(), 1000);
        gimbal_rank_costs_arrived(root, worker, &cost, 1);
    }
    gimbal_rank_moved(root, 0);
    gimbal_rank_close(root, 1);
}

TEST(NoMemory, ARootThatHandsOutChunksThrowsWhereItSaysSo) {
    static Shared shared;
    for (const char* const schedule : {"fac2", "fsc", "feedback", "af", "runtime", "levels"}) {
        const int number = gimbal_rank_schedule(schedule, nullptr, 0);
        ASSERT_GT(number, 0) << schedule;
        for (long blocks = 0; blocks < 200; blocks += blocks < 60 ? 1 : 7) {
            const std::string name = schedule + std::to_string(blocks);
            void* const site = gimbal_rank_site(name.c_str(), 2);
            const FewBlocks few(blocks);
            for (int execution = 0; execution < 4; ++execution) hand_out(site, number, shared);
        }
    }
}

TEST(NoMemory, WhatIsAskedOnTheWayTakesNone) {
    gimbal_rank_settings ranks{};
    gimbal_waiting_settings waiting{};
    const FewBlocks none(0);
    gimbal_rank_settings_get(&ranks);
    gimbal_rank_waiting_settings(&waiting);
    gimbal_rank_waiting_enter("MPI_Allreduce");
    gimbal_rank_waiting_leave(1);
    gimbal_rank_waiting_expect(0);
    (void)gimbal_rank_is_crowded();
    (void)any_steals();
    const auto desc = test::loop_desc(0x2000, 100, 2, 0);
    (void)gimbal_loop_granule(&desc);
    gimbal_pin_report("{ \"a text that does not fit\" }", "into a small string");
}

// Which rule would name the loop cannot be found out: it keeps whole chunks of all of them.
TEST(NoMemory, ALoopKeepsTheChunksOfTheRules) {
    set_option("loops", "here=fac2,6;there=gss,10;elsewhere=none;*=auto");
    ASSERT_EQ(gimbal_loop_rules(), 1);
    auto desc = test::loop_desc(0x7a100, 100, 2, 0);
    int number = 0, of_the_program = 0;
    std::uint64_t granule = 0;
    {
        const FewBlocks none(0);
        number = gimbal_loop_named(&desc);
        desc.unit = 0;
        of_the_program = gimbal_loop_named(&desc);
        desc.unit = 1;
        desc.schedule = number;
        granule = gimbal_loop_granule(&desc);
    }
    EXPECT_GT(number, 0);
    EXPECT_EQ(of_the_program, 0) << "the program says what stays together";
    EXPECT_EQ(granule, 30U);
    EXPECT_NE(gimbal_loop_named(&desc), number) << "there is memory";
    set_option("loops", "*=fac2");
    ASSERT_EQ(gimbal_loop_rules(), 1);
    desc.code = reinterpret_cast<const void*>(0x7a200);
    {
        const FewBlocks none(0);
        number = gimbal_loop_named(&desc);
    }
    EXPECT_EQ(number, 0) << "no rule has a chunk";
}

TEST(NoMemory, PlacementGetsItsSettingsOrNone) {
    gimbal_pin_settings settings{};
    EXPECT_GT(with_ever_more([&] { settings = gimbal_pin_settings_get(); }), 0);
    EXPECT_NE(settings.settings, nullptr);
    set_option("strict", "off");
    with_ever_more([] { gimbal_pin_refuse("GIMBAL_PIN_NODES", "node 7 does not exist", "allowed: 0 to 3"); });
}

TEST(NoMemory, TheMachineIsUnknownThen) {
    EXPECT_EXIT(
        {
            const FewBlocks none(0);
            _exit(topology().known() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
}

TEST(NoMemory, AChildBeginsAnew) {
    const auto desc = test::loop_desc(0x1000, 100, 2, gimbal_schedule_parse("fac2"));
    ASSERT_EQ(gimbal_set_static_fraction("some_file_with_a_long_name.c", 0.5), 0);
    ASSERT_NE(find_site(desc), nullptr);
    EXPECT_EXIT(
        {
            hold_table();
            blocks_left = 0;
            release_table();
            restart_in_child();
            restart_warnings_in_child();
            restart_background_in_child();
            restart_steals_in_child();
            const bool empty = find_site(desc) == nullptr;
            blocks_left = test::kNoLimit;
            _exit(empty && all_sites().empty() && find_site(desc) ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

// The last one: there is no number left for others.
TEST(NoMemory, OneScheduleTooManyIsRefused) {
    const std::size_t said = warnings().size();
    int number = 0;
    for (int chunk = 1; (number = gimbal_schedule_set(GIMBAL_SCHEDULE_KIND + 1, chunk)) > 0 && chunk < 1 << 20; ++chunk)
        ;
    EXPECT_EQ(number, 0);
    EXPECT_EQ(warnings().size(), said + 1);
    {
        const FewBlocks none(0);
        number = gimbal_schedule_set(GIMBAL_SCHEDULE_KIND + 2, 1 << 20);
    }
    EXPECT_EQ(number, 0);
}

}  // namespace
}  // namespace gimbal
