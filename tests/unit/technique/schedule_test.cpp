// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/schedule.hpp"

#include <functional>
#include <random>

#include "config/selection.hpp"
#include "gimbal/error.hpp"
#include "plan_checks.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

/// The error that parsing `text` gives; fails the test if there is none.
Error error_of(std::string_view text) {
    try {
        const ScheduleSpec schedule = parse_schedule(text);
        ADD_FAILURE() << "accepted as " << to_string(schedule);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_option);
        return error;
    }
    return Error(ErrorCode::wrong_use, "no error");
}

void expect_contains(std::string_view text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string_view::npos) << "in: " << text;
}

TEST(ParseSchedule, ReadsTechniqueChunkAndModifier) {
    const ScheduleSpec schedule = parse_schedule("monotonic:fac2,16");
    EXPECT_EQ(schedule.technique, find_technique("fac2"));
    EXPECT_EQ(schedule.chunk, 16u);
    EXPECT_EQ(schedule.modifier, Modifier::monotonic);
    EXPECT_EQ(parse_schedule("nonmonotonic:gss").modifier, Modifier::nonmonotonic);
    EXPECT_EQ(parse_schedule("gss").modifier, Modifier::none);
    EXPECT_EQ(parse_schedule("gss").chunk, 0u);
}

TEST(ParseSchedule, IgnoresCaseAndBlanks) {
    const ScheduleSpec schedule = parse_schedule(" \tMonoTonic : FAC2 ,  007 \n");
    EXPECT_EQ(to_string(schedule), "monotonic:fac2,7");
    EXPECT_EQ(parse_schedule("mFSC").technique, find_technique("mfsc"));
    EXPECT_EQ(parse_schedule("Trapezoidal").technique, find_technique("tss"));
}

TEST(ParseSchedule, TakesRuntimeAsGimbalsChoice) {
    EXPECT_EQ(parse_schedule("runtime").technique, nullptr);
    EXPECT_EQ(parse_schedule(" RunTime ").technique, nullptr);
    EXPECT_EQ(to_string(parse_schedule("monotonic:runtime")), "monotonic:runtime");
    EXPECT_EQ(parse_schedule("runtime,4").chunk, 4u);
    EXPECT_EQ(to_string(parse_schedule("runtime , 4")), "runtime,4");
}

TEST(ParseSchedule, RoundTripsEveryTechniqueByEveryName) {
    for (const Technique* technique : techniques()) {
        std::vector<std::string_view> names{technique->info().name};
        names.insert(names.end(), technique->info().aliases.begin(), technique->info().aliases.end());
        for (const std::string_view name : names) {
            for (const std::string_view modifier : {"", "monotonic:", "nonmonotonic:"}) {
                const bool fraction = technique->info().fraction != FractionSource::none;
                const std::string comma = fraction ? ",:" : ",";
                for (const std::string& chunk : {std::string(), comma + "1", comma + "2147483647"}) {
                    const ScheduleSpec schedule = parse_schedule(std::string(modifier).append(name).append(chunk));
                    EXPECT_EQ(schedule.technique, technique);
                    const std::string canonical = std::string(modifier).append(technique->info().name).append(chunk);
                    EXPECT_EQ(to_string(schedule), canonical);
                    EXPECT_EQ(to_string(parse_schedule(canonical)), canonical);
                }
            }
        }
    }
}

TEST(ParseSchedule, SuggestsTheNearestNameAndListsWhatIsAllowed) {
    const Error error = error_of("fac22");
    EXPECT_STREQ(error.what(), "unknown technique \"fac22\"");
    std::string allowed;
    for (const Technique* technique : techniques()) allowed.append(technique->info().name).append(" ");
    for (const SelectorInfo& selector : selectors()) allowed.append(selector.name).append(" ");
    EXPECT_EQ(error.hint(),
              "Did you mean \"fac2\"?\n        allowed: " + allowed + "runtime      more: gimbal info techniques");
    expect_contains(allowed, "static ss gss guided");
    expect_contains(error_of("gudied,4").hint(), "Did you mean \"guided\"?");
    expect_contains(error_of("runtme").hint(), "Did you mean \"runtime\"?");
    expect_contains(error_of("trapezoid").hint(), "Did you mean \"trapezoidal\"?");
    EXPECT_EQ(error_of("somethingelse").hint().rfind("allowed: static", 0), 0u);
}

TEST(ParseSchedule, DoesNotKnowTechniquesThatDoNotExist) {
    for (const std::string_view name : {"steal", "lws2", "profiling", "steal-ratio", "8"}) {
        expect_contains(error_of(name).what(), "unknown technique");
    }
}

TEST(ParseSchedule, RejectsChunksThatAreNotPositiveIntegers) {
    for (const std::string_view chunk : {"0", "-1", "+1", "x", "1x", "1 2", "1.5", "0x10", "1e3", "1,2", "2147483648",
                                         "18446744073709551617", "99999999999999999999999999", "\xff"}) {
        expect_contains(error_of("fac2," + std::string(chunk)).what(), "is not an integer from 1 to 2147483647");
    }
    for (const std::string_view text : {"fac2,", "fac2, ", "fac2,\t\n"}) {
        EXPECT_STREQ(error_of(text).what(), "no chunk after the comma or colon");
    }
    expect_contains(error_of("fac2,0").hint(), "fac2,16");
}

TEST(ParseSchedule, ReadsStaticFractionsWithAndWithoutAChunk) {
    const struct {
        std::string_view text;
        double fraction;
        std::uint64_t chunk;
        std::string_view canonical;
    } kCases[] = {{"lws", -1, 0, "lws"},
                  {"lws,0.8", 0.8, 0, "lws,0.8"},
                  {"lws,0.8:16", 0.8, 16, "lws,0.8:16"},
                  {"LWS , 0.80 : 16", 0.8, 16, "lws,0.8:16"},
                  {"lws,:16", -1, 16, "lws,:16"},
                  {"lws,1", 1, 0, "lws,1"},
                  {"usched,0:4", 0, 4, "usched,0:4"}};
    for (const auto& one : kCases) {
        const ScheduleSpec schedule = parse_schedule(one.text);
        EXPECT_DOUBLE_EQ(schedule.fraction, one.fraction) << one.text;
        EXPECT_EQ(schedule.chunk, one.chunk) << one.text;
        EXPECT_EQ(to_string(schedule), one.canonical);
        EXPECT_EQ(parse_schedule(one.canonical), schedule);
    }
    EXPECT_EQ(parse_schedule("monotonic:lws,0.5:2").modifier, Modifier::monotonic);
}

TEST(ParseSchedule, RejectsFractionsOutsideZeroToOne) {
    for (const std::string_view fraction : {"16", "-0.1", "1.01", "x", "", "nan", "inf", "0,8", "80%"}) {
        expect_contains(error_of("lws," + std::string(fraction)).what(), "is not a number from 0 to 1");
    }
    expect_contains(error_of("lws,16").hint(), "lws,:16");
    expect_contains(error_of("lws,0.8:0").what(), "is not an integer from 1");
    EXPECT_STREQ(error_of("lws,0.8:").what(), "no chunk after the comma or colon");
}

TEST(ParseSchedule, RejectsEmptyTextAndUnknownModifiers) {
    for (const std::string_view text : {"", " ", "\t \n", ",", ",4", "monotonic:", "monotonic: ,4"}) {
        EXPECT_STREQ(error_of(text).what(), "no technique given");
    }
    EXPECT_STREQ(error_of("monotnic:gss").what(), "unknown modifier \"monotnic\"");
    expect_contains(error_of("monotnic:gss").hint(), "Did you mean \"monotonic\"?");
    EXPECT_STREQ(error_of(":gss").what(), "unknown modifier \"\"");
    expect_contains(error_of("monotonic:nonmonotonic:gss").what(), "unknown technique");
}

TEST(ParseSchedule, ShowsLongAndUnprintableInputCutAndEscaped) {
    EXPECT_EQ(std::string(error_of(std::string(10240, 'x')).what()),
              "unknown technique \"" + std::string(40, 'x') + "...\"");
    EXPECT_EQ(std::string(error_of(std::string(40, 'x')).what()), "unknown technique \"" + std::string(40, 'x') + "\"");
    EXPECT_EQ(std::string(error_of("fac2," + std::string(10240, '9')).what()).size(),
              std::string("chunk \"\" is not an integer from 1 to 2147483647").size() + 43);
    EXPECT_STREQ(error_of(std::string_view("a\x1b[2J\n\"\\\0b", 10)).what(),
                 "unknown technique \"a\\x1b[2J\\n\\\"\\\\\\x00b\"");
    EXPECT_EQ(parse_schedule(std::string(10240, ' ') + "gss").technique, find_technique("gss"));
}

TEST(ParseSchedule, AnswersRandomTextWithAScheduleOrAPrintableMessage) {
    std::mt19937 random(2);
    const std::string letters = "sfcagt2wn:,_- 019\t\n\x01\xc3\"monotonicruntime";
    int accepted = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        std::string text;
        for (auto length = random() % 12; length > 0; --length) text += letters[random() % letters.size()];
        if (trial % 3 == 0) text = "fac2," + text;
        if (trial % 5 == 0) text = "monotonic:" + text;
        try {
            const ScheduleSpec schedule = parse_schedule(text);
            ++accepted;
            EXPECT_EQ(to_string(parse_schedule(to_string(schedule))), to_string(schedule));
            EXPECT_LT(schedule.chunk, 1u << 31);
        } catch (const Error& error) {
            for (const char letter : std::string(error.what())) {
                ASSERT_TRUE(letter >= 0x20 && letter < 0x7f) << text;
            }
        }
    }
    EXPECT_GT(accepted, 50) << "too few valid texts for the test to mean much";
}

}  // namespace
