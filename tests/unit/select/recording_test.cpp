// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/warnings.hpp"
#include "experiment/virtual_loop.hpp"
#include "gimbal/error.hpp"
#include "report/steps.hpp"
#include "scripted.hpp"
#include "select/replay.hpp"
#include "simulate/work.hpp"

namespace {

using gimbal::Recording;
using gimbal::ReplaySelector;
using gimbal::StepRow;
using gimbal::test::context_of;
using gimbal::test::name_of;

constexpr const char* kOddName = "a, \"b\".c:3 f(int, char)\nnext";

StepRow row_of(std::string_view loop, std::uint64_t number, const char* schedule) {
    StepRow row;
    row.loop = loop;
    row.workers = 4;
    row.step = number;
    row.iterations = 1000;
    row.schedule = gimbal::parse_schedule(schedule);
    row.reason = "sarsa";
    return row;
}

gimbal::LoopContext at_step(std::uint64_t number, std::uint64_t iterations = 1000) {
    gimbal::LoopContext context = context_of(iterations);
    context.step = number;
    return context;
}

std::string refusal(const std::string& text) {
    try {
        (void)Recording::parse(text);
    } catch (const gimbal::Error& error) {
        EXPECT_EQ(error.code(), gimbal::ErrorCode::file);
        return error.what();
    }
    return "none";
}

const std::string kHeader(gimbal::kStepsHeader);
const std::string kRow = "a.c:1 f,4,0,1000,fac2,sarsa,0,1,1,1,9,,,,,,\n";

TEST(Steps, ALineHasOneFieldPerColumnWithAndWithoutAnAgent) {
    StepRow row = row_of("a.c:1 f", 7, "gss,8");
    row.exploring = true;
    row.loop_time = 2e6;
    row.busy_max = 1.5e6;
    row.busy_mean = 1e6;
    row.chunks = 12;
    std::string text;
    gimbal::append_step(text, row, 1e-6);
    EXPECT_EQ(text, "a.c:1 f,4,7,1000,\"gss,8\",sarsa,1,2,1.5,1,12,,,,,,,\n");
    row.thought = gimbal::learn::Thought{3, 1, 2, 0.5, -4, 0.9, 0.25};
    text.clear();
    gimbal::append_step(text, row, 1e-6);
    EXPECT_EQ(text, "a.c:1 f,4,7,1000,\"gss,8\",sarsa,1,2,1.5,1,12,1,2,0.5,-4,0.9,0.25,\n");
}

TEST(Steps, AnyChunkThatCanBeRunIsReplayed) {
    const std::uint64_t trip = UINT64_MAX - 1;
    for (const std::string technique : {"ss,", "lws,0.5:", "lws,:", "static,"}) {
        for (const std::uint64_t chunk : {std::uint64_t{1} << 31, trip}) {
            StepRow row = row_of("long.c:1 f", 0, (technique + "1").c_str());
            row.schedule.chunk = chunk;
            row.iterations = trip;
            std::string text = kHeader;
            gimbal::append_step(text, row, 1e-6);
            const Recording recording = Recording::parse(text);
            EXPECT_EQ(recording.find("long.c:1 f", 4)->front().schedule, row.schedule) << technique << chunk;
            EXPECT_THROW((void)gimbal::parse_schedule(technique + std::to_string(chunk)), gimbal::Error)
                << "a user's stays an int, as OpenMP's are";
        }
    }
}

TEST(Steps, WhatThreadsRanInChunksOfRanksIsReplayedWithThem) {
    StepRow row = row_of("forces", 0, "fac2");
    row.within = "gss";
    std::string text = kHeader;
    gimbal::append_step(text, row, 1e-6);
    gimbal::append_step(text, row_of("forces", 1, "tss"), 1e-6);
    const Recording recording = Recording::parse(text);
    ReplaySelector replay(*recording.find("forces", 4), "forces");
    EXPECT_EQ(replay.choose({.iterations = 1000, .step = 0}).within.technique, gimbal::find_technique("gss"));
    EXPECT_EQ(replay.choose({.iterations = 1000, .step = 1}).within.technique, nullptr);
    EXPECT_EQ(refusal(kHeader + "forces,4,0,1000,fac2,auto,0,1,1,1,9,,,,,,,no-such\n"),
              "line 2: \"no-such\" is not a technique");
}

TEST(Steps, ARecordThatASpreadsheetHasSavedIsReplayed) {
    std::string text = kHeader;
    gimbal::append_step(text, row_of("forces", 0, "fac2"), 1e-6);
    EXPECT_EQ(Recording::parse("\xEF\xBB\xBF" + text).loops(), 1U);
}

TEST(Steps, ALoopOfManyOtherLengthsIsWarnedOfOnce) {
    const std::vector<gimbal::RecordedStep> steps(4, {gimbal::parse_schedule("fac2"), 1000});
    const auto about = [] {
        const std::vector<std::string> all = gimbal::warnings();
        return std::count_if(all.begin(), all.end(), [](const std::string& text) {
            return text.find("loop longer.c:3 f has other numbers of iterations") != std::string::npos;
        });
    };
    for (std::uint64_t length = 1; length < 4; ++length) {  // each has a selector of its own
        ReplaySelector replay(steps, "longer.c:3 f");
        (void)replay.choose({.iterations = std::uint64_t{1000} << length, .step = length});
    }
    EXPECT_EQ(about(), 1);
}

TEST(Steps, WhatIsRecordedIsReplayedChoiceByChoiceForEachLoop) {
    const char* const first[] = {"gss,8", "static", "lws,0.8:16", "fac2", "awf-b"};
    const char* const second[] = {"tss", "ss"};
    std::string text = kHeader;
    for (std::uint64_t i = 0; i < 5; ++i) {
        gimbal::append_step(text, row_of(kOddName, i, first[i]), 1e-9);
        if (i < 2) gimbal::append_step(text, row_of("b.c:2 g", i, second[i]), 1e-9);
    }
    const Recording recording = Recording::parse(text);
    EXPECT_EQ(recording.loops(), 2U);
    ASSERT_NE(recording.find(kOddName, 4), nullptr);
    ReplaySelector one(*recording.find(kOddName, 4), kOddName);
    for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(name_of(one.choose(at_step(i))), first[i]);
    for (std::uint64_t i = 5; i < 8; ++i) EXPECT_EQ(name_of(one.choose(at_step(i))), "awf-b") << "the last one stays";
    ReplaySelector other(*recording.find("b.c:2 g", 4), "b.c:2 g");
    for (std::uint64_t i = 0; i < 2; ++i) EXPECT_EQ(name_of(other.choose(at_step(i))), second[i]);
    EXPECT_EQ(recording.find("b.c:2 g", 2), nullptr) << "another team is another loop";
    EXPECT_EQ(recording.find("c.c:2 g", 4), nullptr);
}

TEST(Recording, StepsOfOverlappingExecutionsMayStandInAnyOrder) {
    const Recording recording = Recording::parse("step,loop,technique,iterations,workers\n1,l,gss,5,2\n0,l,fac2,6,2\n");
    const auto* const steps = recording.find("l", 2);
    ASSERT_NE(steps, nullptr);
    ASSERT_EQ(steps->size(), 2U);
    EXPECT_EQ((*steps)[0].iterations, 6U);
    EXPECT_EQ((*steps)[1].schedule.technique, gimbal::find_technique("gss"));
}

TEST(Recording, RefusalsNameLineAndReason) {
    EXPECT_EQ(refusal(kHeader + kRow), "none");
    EXPECT_EQ(refusal(""), "it is empty");
    EXPECT_EQ(refusal(kHeader), "it holds no steps");
    EXPECT_EQ(refusal("{\"schema_version\": 1}\n"), "it is not a record: its first line has no column \"loop\"");
    EXPECT_EQ(refusal("loop,workers,step,iterations\n"),
              "it is not a record: its first line has no column \"technique\"");
    EXPECT_EQ(refusal(kHeader + "a,4\n"), "line 2: it has 2 fields only");
    EXPECT_EQ(refusal(kHeader + kRow + "a,4,zero,1000,fac2\n"), "line 3: step \"zero\" is not a number");
    EXPECT_EQ(refusal(kHeader + "a,4,0,-3,fac2\n"), "line 2: iterations \"-3\" is not a number");
    EXPECT_EQ(refusal(kHeader + "a,0,0,1,fac2\n"), "line 2: the number of workers is out of range");
    EXPECT_EQ(refusal(kHeader + "a,4,0,1,fac22\n"), "line 2: unknown technique \"fac22\"");
    EXPECT_EQ(refusal(kHeader + "a,4,0,1,runtime\n"), "line 2: \"runtime\" is not a technique");
    EXPECT_EQ(refusal(kHeader + "a,4,0,1,steal-ratio 0.25\n"), "none");
    EXPECT_EQ(refusal(kHeader + "a,4,0,1,steal-ratio 1.5\n"),
              "line 2: \"steal-ratio 1.5\" is not a steal ratio in (0, 1]");
    EXPECT_EQ(refusal(kHeader + kRow + kRow), "line 3: step 0 of loop \"a.c:1 f\" appears twice");
    EXPECT_EQ(refusal(kHeader + "a,4,1,1,fac2\n"), "step 0 of loop \"a\" is missing");
    EXPECT_EQ(refusal(kHeader + "\"a,4,0,1,fac2\n"), "line 2: a quote is not closed");
    EXPECT_EQ(refusal(kHeader + "\"a\"b,4,0,1,fac2\n"), "line 2: text follows a quoted field");
}

TEST(Recording, WhatIsCutOffAnywhereIsRefused) {
    std::string text = kHeader;
    gimbal::append_step(text, row_of(kOddName, 0, "gss,8"), 1e-9);
    for (std::size_t length = 0; length < text.size(); ++length)
        EXPECT_NE(refusal(text.substr(0, length)), "none") << length;
    EXPECT_EQ(refusal(text), "none");
}

TEST(Recording, LineEndsOfOtherSystemsAreRead) {
    EXPECT_EQ(refusal("loop,workers,step,iterations,technique\r\nl,2,0,5,gss\r\n"), "none");
}

TEST(Recording, AFileThatIsNotThereIsRefused) {
    EXPECT_THROW((void)Recording::read("no/such/file.csv"), gimbal::Error);
    EXPECT_THROW((void)Recording::read("/"), gimbal::Error);
}

TEST(Replay, ALoopOfAnotherLengthFollowsAndIsWarnedAboutOnce) {
    const Recording recording = Recording::parse(kHeader + kRow + "a.c:1 f,4,1,1000,gss\n");
    ReplaySelector selector(*recording.find("a.c:1 f", 4), "a.c:1 f");
    const std::size_t before = gimbal::warnings().size();
    EXPECT_EQ(name_of(selector.choose(at_step(0, 999))), "fac2");
    EXPECT_EQ(name_of(selector.choose(at_step(1, 998))), "gss");
    ASSERT_EQ(gimbal::warnings().size(), before + 1);
    EXPECT_NE(gimbal::warnings().back().find("has other numbers of iterations than in the record"), std::string::npos);
}

TEST(Replay, ExecutionsThatTheProgramNamesATechniqueForCountAsStepsAsInTheRecord) {
    const char* const recorded[] = {"gss", "static", "tss", "fac2", "ss,10", "awf-b"};
    std::string text = kHeader;
    for (std::uint64_t i = 0; i < 6; ++i) gimbal::append_step(text, row_of("a.c:1 f", i, recorded[i]), 1e-9);
    const Recording recording = Recording::parse(text);
    gimbal::simulate::VirtualLoop loop("a.c:1 f", 4, 0.5,
                                       std::make_unique<ReplaySelector>(*recording.find("a.c:1 f", 4), "a.c:1 f"));
    const gimbal::simulate::ListedWork work(std::vector<double>(1000, 10));
    for (std::uint64_t i = 0; i < 6; ++i) {
        gimbal::Request request{.trip = 1000};
        if (i % 2 == 1) request.schedule.technique = gimbal::find_technique("guided");
        EXPECT_EQ(to_string(loop.run(request, work, {.dispatch = 1}).schedule), i % 2 ? "guided" : recorded[i]);
    }
}

}  // namespace
