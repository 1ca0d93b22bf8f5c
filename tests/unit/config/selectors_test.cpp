// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/spelling.hpp"
#include "config/schedule_value.hpp"
#include "gimbal/error.hpp"
#include "gimbal/schedule.hpp"
#include "learn/names.hpp"

namespace gimbal {
namespace {

std::string problem(std::string_view text) {
    try {
        return "accepted as " + to_string(parse_schedule(text));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_option);
        return std::string(error.what()) + "|" + error.hint();
    }
}

TEST(Selectors, AreDescribedAndNamedOnce) {
    std::set<std::string_view> names;
    for (const SelectorInfo& info : selectors()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_EQ(technique::normalised(info.name), info.name);
        EXPECT_TRUE(info.summary.ends_with(".")) << info.name;
        EXPECT_FALSE(info.source.empty()) << info.name;
        EXPECT_EQ(find_selector(info.name), &info);
    }
}

TEST(Selectors, NoTechniqueHasTheNameOfASelectorOrAgentInAnySpelling) {
    for (const Technique* technique : techniques()) {
        EXPECT_EQ(find_selector(technique->info().name), nullptr) << technique->info().name;
        for (const std::string_view alias : technique->info().aliases)
            EXPECT_EQ(find_selector(alias), nullptr) << alias;
    }
    for (const SelectorInfo& info : selectors()) {
        EXPECT_EQ(find_technique(info.name), nullptr) << info.name;
        EXPECT_NE(info.name, "runtime");
        EXPECT_NE(info.name, "none") << "a rule of GIMBAL_LOOPS";
    }
}

TEST(Selectors, EveryAgentOfTheLearnersIsOne) {
    for (const std::string_view word : learn::kAgentWords) {
        const SelectorInfo* const info = find_selector(word);
        ASSERT_NE(info, nullptr) << word;
        EXPECT_TRUE(info->agent) << word;
    }
    const auto agents = std::count_if(selectors().begin(), selectors().end(), [](const auto& s) { return s.agent; });
    EXPECT_EQ(static_cast<std::size_t>(agents), learn::kAgentWords.size() + 1) << "and the meta agent chunk";
    EXPECT_EQ(find_selector("steal-ratio"), nullptr);
    EXPECT_EQ(find_selector("none"), nullptr);
}

TEST(Selectors, OptionsListTheSameWords) {
    std::vector<std::string_view> all, agents;
    for (const SelectorInfo& info : selectors()) {
        all.push_back(info.name);
        if (info.agent) agents.push_back(info.name);
    }
    EXPECT_EQ(all, std::vector<std::string_view>(kSelectorWords.begin(), kSelectorWords.end()));
    std::vector<std::string_view> listed(kAgentRowWords.begin(), kAgentRowWords.end());
    ASSERT_EQ(listed.back(), "none");
    listed.pop_back();
    std::sort(listed.begin(), listed.end());
    std::sort(agents.begin(), agents.end());
    EXPECT_EQ(agents, listed);
}

TEST(Selectors, SeedsNamesAreUnderstoodAndNumbersAreNot) {
    EXPECT_EQ(find_selector("QLearner")->name, "q");
    EXPECT_EQ(find_selector("SARSA_Learner")->name, "sarsa");
    EXPECT_EQ(find_selector("ExpectedSARSA_Learner")->name, "expected-sarsa");
    EXPECT_EQ(find_selector("ChunkParameterSelector")->name, "chunk");
    for (const char* number : {"8", " 9", "0", "15", "16", ""}) EXPECT_EQ(find_selector(number), nullptr) << number;
}

TEST(ParseSchedule, ASelectorStandsWhereATechniqueDoes) {
    for (const SelectorInfo& info : selectors()) {
        for (const std::string_view modifier : {"", "monotonic:", "nonmonotonic:"}) {
            const std::string text = std::string(modifier).append(info.name);
            const ScheduleSpec schedule = parse_schedule(text);
            EXPECT_EQ(schedule.technique, nullptr);
            EXPECT_EQ(schedule.selector.data(), info.name.data()) << "static storage";
            EXPECT_EQ(to_string(schedule), text);
            EXPECT_EQ(parse_schedule(to_string(schedule)), schedule);
        }
    }
    EXPECT_EQ(to_string(parse_schedule(" Expected_SARSA ")), "expected-sarsa");
    EXPECT_NE(parse_schedule("expert"), parse_schedule("runtime"));
    EXPECT_TRUE(parse_schedule("runtime").selector.empty());
    EXPECT_TRUE(parse_schedule("gss").selector.empty());
}

TEST(ParseSchedule, AutoWithANumberIsLb4ompsSelector) {
    const std::pair<int, std::string_view> kNumbers[] = {
        {2, "random"}, {3, "exhaustive"}, {4, "binary"},   {5, "expert"}, {6, "q"},
        {7, "q"},      {8, "q"},          {9, "double-q"}, {10, "sarsa"}, {11, "expected-sarsa"},
        {12, "qv"},    {13, "r"},         {14, "dqn"},     {15, "chunk"}};
    for (const auto& [number, name] : kNumbers) {
        EXPECT_EQ(to_string(parse_schedule("auto," + std::to_string(number))), name);
        EXPECT_EQ(to_string(parse_schedule("AUTO , " + std::to_string(number))), name);
        EXPECT_FALSE(is_ordinary_openmp("auto," + std::to_string(number)));
    }
    EXPECT_TRUE(is_ordinary_openmp("auto")) << "alone it is OpenMP's";
    for (const char* wrong :
         {"auto,0", "auto,1", "auto,16", "auto,", "auto,-3", "auto,x", "auto,99999999999999999999", "auto,8,2"}) {
        EXPECT_NE(problem(wrong).find("is not a selector; allowed: 2 random 3 exhaustive 4 binary 5 expert 6 7 8 q"),
                  std::string::npos)
            << wrong << ": " << problem(wrong);
        EXPECT_FALSE(is_ordinary_openmp(wrong)) << wrong;
    }
}

TEST(ParseSchedule, ASelectorTakesAChunkAndIsSuggested) {
    EXPECT_EQ(to_string(parse_schedule("sarsa,8")), "sarsa,8");
    EXPECT_NE(problem("sarsa,x").find("chunk \"x\" is not an integer"), std::string::npos);
    EXPECT_NE(problem("expret").find("Did you mean \"expert\"?"), std::string::npos);
    EXPECT_NE(problem("nothing").find(" expert "), std::string::npos) << "what is allowed is listed";
}

TEST(LoopRules, NameSelectorsForLoops) {
    const std::vector<LoopRule> rules = read_loop_rules("a.c:10=sarsa; f=auto; g=auto,5; h=runtime");
    ASSERT_EQ(rules.size(), 4U);
    EXPECT_EQ(rules[0].schedule.selector, "sarsa");
    EXPECT_EQ(rules[1].schedule.selector, "auto");
    EXPECT_EQ(rules[2].schedule.selector, "expert");
    EXPECT_EQ(rules[3].schedule.selector, "");
}

}  // namespace
}  // namespace gimbal
