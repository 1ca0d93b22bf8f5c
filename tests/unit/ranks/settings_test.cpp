// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "gimbal/options.hpp"
#include "gimbal/rank_loop.h"
#include "loop/schedules.hpp"

namespace gimbal {
namespace {

gimbal_rank_settings settings() {
    gimbal_rank_settings got{};
    gimbal_rank_settings_get(&got);
    return got;
}

int g_begun = 0;

// A rank that only draws chunks sees no loop of its own.
TEST(RankSettings, WhoAsksForThemIsToldToKeepARecordCurrent) {
    after_new_loop = []() noexcept { ++g_begun; };
    static_cast<void>(settings());
    after_new_loop = nullptr;
    EXPECT_EQ(g_begun, 1);
}

TEST(RankSettings, AreThoseOfTheOptions) {
    const gimbal_rank_settings usual = settings();
    EXPECT_TRUE(rank_level_used());
    EXPECT_EQ(usual.transport, GIMBAL_TRANSPORT_AUTO);
    EXPECT_EQ(usual.robust, 0);
    EXPECT_EQ(usual.steal_rule, GIMBAL_STEAL_NEAREST);
    EXPECT_EQ(usual.steal_ratio, 0);
    EXPECT_EQ(usual.poll_us, 50U);
    EXPECT_EQ(usual.node_ranks, 0U);
    EXPECT_EQ(usual.seed, 42U);
    EXPECT_EQ(usual.schedule_given, 0);
    EXPECT_EQ(usual.ratio_given, 0);
    EXPECT_EQ(interned(usual.schedule), ScheduleSpec{}) << "runtime: Gimbal chooses";
    for (const auto& [name, value] : {std::pair("mpi_transport", "hierarchical"),
                                      {"mpi_robust", "on"},
                                      {"mpi_steal", "seed"},
                                      {"mpi_steal_ratio", "agent"},
                                      {"mpi_poll_us", "7"},
                                      {"mpi_node_ranks", "2"},
                                      {"mpi_schedule", "gss,3"},
                                      {"seed", "9"}})
        set_option(name, value);
    const gimbal_rank_settings set = settings();
    EXPECT_EQ(set.transport, GIMBAL_TRANSPORT_HIERARCHICAL);
    EXPECT_EQ(set.robust, 1);
    EXPECT_EQ(set.steal_rule, GIMBAL_STEAL_SEED);
    EXPECT_LT(set.steal_ratio, 0);
    EXPECT_EQ(set.poll_us, 7U);
    EXPECT_EQ(set.node_ranks, 2U);
    EXPECT_EQ(to_string(interned(set.schedule)), "gss,3");
    EXPECT_EQ(set.seed, 9U);
    EXPECT_EQ(set.schedule_given, 1);
    EXPECT_EQ(set.ratio_given, 1);
    EXPECT_EQ(reason_of(set.schedule), "GIMBAL_MPI_SCHEDULE");
    EXPECT_EQ(reason_of(gimbal_rank_schedule("ss", nullptr, 0)), "the loop's schedule");
    set_option("mpi_schedule", "sarsa");
    EXPECT_EQ(interned(settings().schedule), ScheduleSpec{}) << "the configured selector is sarsa";
    EXPECT_EQ(options().select_ranks.name, "sarsa");
    EXPECT_EQ(options().select.name, "auto");
}

TEST(RankSchedule, IsReadAsUsersWriteIt) {
    for (const auto& [text, canonical] : {std::pair("fac2", "fac2"),
                                          {" SS,16 ", "ss,16"},
                                          {"lws,0.8:16", "lws,0.8:16"},
                                          {"expert", "expert"},
                                          {"QLearner", "q"},
                                          {"runtime", "runtime"}}) {
        const int number = gimbal_rank_schedule(text, nullptr, 0);
        ASSERT_GT(number, 0) << text;
        EXPECT_EQ(to_string(interned(number)), canonical);
        EXPECT_EQ(gimbal_rank_schedule(text, nullptr, 0), number) << "the same for the same";
    }
}

TEST(RankSchedule, WrongOnesAreExplainedOnOneLineCutToSize) {
    std::array<char, 4000> message{};
    EXPECT_EQ(gimbal_rank_schedule("fac22", message.data(), message.size()), 0);
    const std::string text = message.data();
    EXPECT_TRUE(text.starts_with("unknown technique \"fac22\". Did you mean \"fac2\"? allowed: static ss ")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    std::array<char, 8> small{};
    small.fill('x');
    EXPECT_EQ(gimbal_rank_schedule("fac22", small.data(), small.size()), 0);
    EXPECT_STREQ(small.data(), "unknown");
    for (const char* wrong : {static_cast<const char*>(nullptr), "", "  ", "fac2,0", "sarsa,0", ",", "no:ss"}) {
        message[0] = '\0';
        EXPECT_EQ(gimbal_rank_schedule(wrong, message.data(), message.size()), 0);
        EXPECT_NE(message[0], '\0');
        EXPECT_EQ(gimbal_rank_schedule(wrong, nullptr, 0), 0);
    }
}

TEST(RankWarn, KeepsASentenceOnce) {
    const std::size_t before = warnings().size();
    testing::internal::CaptureStderr();
    gimbal_rank_warn("ranks share a core here");
    gimbal_rank_warn("ranks share a core here");
    testing::internal::GetCapturedStderr();
    ASSERT_EQ(warnings().size(), before + 1);
    EXPECT_EQ(warnings().back(), "ranks share a core here");
}

}  // namespace
}  // namespace gimbal
