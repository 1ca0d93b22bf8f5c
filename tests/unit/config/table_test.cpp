// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/table.hpp"

#include <gtest/gtest.h>

#include <set>

#include "gimbal/error.hpp"

namespace gimbal {
namespace {

TEST(OptionTable, EveryRowIsComplete) {
    for (const OptionSpec& spec : option_table()) {
        EXPECT_TRUE(spec.name.starts_with("GIMBAL_")) << spec.name;
        EXPECT_TRUE(spec.doc.ends_with(".")) << spec.name;
        EXPECT_FALSE(spec.level.empty()) << spec.name;
        EXPECT_NE(spec.set == nullptr, spec.select == nullptr) << spec.name;
        for (const std::string_view alias : spec.aliases)
            EXPECT_TRUE(spec.select && levels_of(alias) != Levels::both) << alias << " speaks for one level";
        EXPECT_FALSE(allowed_values(spec).empty()) << spec.name;
        EXPECT_EQ(spec.type == OptionType::choice, !spec.choices.empty()) << spec.name;
    }
}

TEST(OptionTable, NamesAreUnique) {
    std::set<std::string_view> names;
    for (const OptionSpec& spec : option_table()) EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
}

TEST(OptionTable, DefaultsObeyTheirOwnRules) {
    for (const OptionSpec& spec : option_table()) {
        if (spec.fallback.empty()) continue;
        EXPECT_NO_THROW((void)read_value(spec, spec.fallback)) << spec.name;
    }
}

TEST(OptionTable, AnOptionIsFoundByVariableKeyAndFlag) {
    const OptionSpec* const report = find_option("GIMBAL_REPORT");
    ASSERT_NE(report, nullptr);
    EXPECT_EQ(find_option("report"), report);
    EXPECT_EQ(find_option("--report"), report);
    EXPECT_EQ(key_of(*report), "report");
}

TEST(OptionTable, VariablesHaveOneSpelling) {
    EXPECT_EQ(find_option("gimbal_report"), nullptr);
    EXPECT_EQ(find_option("GIMBAL_"), nullptr);
    EXPECT_EQ(find_option(""), nullptr);
}

TEST(OptionTable, AnAliasMeansTheSameOption) {
    constexpr std::string_view kAliases[] = {"LB4MPI_RL_ALPHA", "KMP_RL_ALPHA"};
    const OptionSpec table[] = {{.name = "GIMBAL_FIRST"}, {.name = "GIMBAL_ALPHA", .aliases = kAliases}};
    EXPECT_EQ(find_option("KMP_RL_ALPHA", table), &table[1]);
    EXPECT_EQ(find_option("LB4MPI_RL_ALPHA", table), &table[1]);
    EXPECT_EQ(find_option("KMP_RL_GAMMA", table), nullptr);
}

}  // namespace
}  // namespace gimbal
