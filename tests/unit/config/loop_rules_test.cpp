// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/schedule_value.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gimbal/error.hpp"

namespace gimbal {
namespace {

/// What is wrong with a list of rules, and the hint; empty if nothing is.
std::string problem(const std::string& text) {
    try {
        (void)read_loop_rules(text);
        return {};
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_option);
        return std::string(error.what()) + "|" + error.hint();
    }
}

LoopPlace gravity() {
    return {"/src/core/gravity.cpp", 120, "sph::gravity", "_ZN3sph7gravityEv._omp_fn.0",
            "gravity.cpp:120 sph::gravity"};
}

LoopPlace in_function(const std::string& function) {
    LoopPlace place;
    place.function = function;
    return place;
}

TEST(LoopRules, ColonsAndCommasBelongToBothSides) {
    const auto rules = read_loop_rules(" gravity.cpp:120 = monotonic:fac2,16 ; a::b=ss,4;");
    ASSERT_EQ(rules.size(), 2U);
    EXPECT_EQ(rules[0].pattern, "gravity.cpp:120");
    EXPECT_EQ(to_string(rules[0].schedule), "monotonic:fac2,16");
    EXPECT_EQ(rules[1].pattern, "a::b");
    EXPECT_EQ(to_string(rules[1].schedule), "ss,4");
}

TEST(LoopRules, NoneAndRuntimeAreSchedules) {
    const auto rules = read_loop_rules("a=NONE;b=runtime");
    EXPECT_TRUE(rules[0].none);
    EXPECT_FALSE(rules[1].none);
    EXPECT_EQ(rules[1].schedule.technique, nullptr);
}

TEST(LoopRules, ThePatternEndsAtTheLastEqualsSign) {
    EXPECT_EQ(read_loop_rules("Grid::operator===fac2")[0].pattern, "Grid::operator==");
}

TEST(LoopRules, ErrorsNameTheRuleAndTheNearestSpelling) {
    EXPECT_EQ(problem("a=fac2;b=fac22"), "rule 2, \"b=fac22\": unknown technique \"fac22\"|Did you mean \"fac2\"?");
    EXPECT_EQ(problem("a=nine"), "rule 1, \"a=nine\": unknown technique \"nine\"|Did you mean \"none\"?");
    EXPECT_EQ(problem("fac2"), "rule 1, \"fac2\": there is no \"=\" between the loop and its schedule|");
    EXPECT_EQ(problem("=fac2"), "rule 1, \"=fac2\": no loop is named before the \"=\"|");
    EXPECT_EQ(problem("a="), "rule 1, \"a=\": no schedule is named after the \"=\"|");
    for (const char* text : {"a=none,3", "a=None , x"})
        EXPECT_EQ(problem(text), "rule 1, \"" + std::string(text) + "\": none takes no number|");
    EXPECT_EQ(problem("a=ss;;b=ss"), "rule 2, \"\": it is empty|");
    EXPECT_EQ(problem(";"), "rule 1, \"\": it is empty|");
    EXPECT_NE(problem("a=fac2,0").find("rule 1"), std::string::npos);
}

TEST(LoopRules, FilesMatchByTheirLastComponents) {
    for (const char* yes : {"gravity.cpp:120", "core/gravity.cpp:120", "/src/core/gravity.cpp:120", "gravity.cpp",
                            "core/gravity.cpp", "gravity.cpp:120 sph::gravity"})
        EXPECT_TRUE(matches(yes, gravity())) << yes;
    for (const char* no :
         {"gravity.cpp:12", "gravity.cpp:1200", "ravity.cpp:120", "core:120", "gravity.c", "120", "", "Gravity.cpp"})
        EXPECT_FALSE(matches(no, gravity())) << no;
}

TEST(LoopRules, FunctionsMatchByTheirLastScopes) {
    EXPECT_TRUE(matches("sph::gravity", gravity()));
    EXPECT_TRUE(matches("gravity", gravity()));
    EXPECT_TRUE(matches("_ZN3sph7gravityEv._omp_fn.0", gravity()));
    EXPECT_FALSE(matches("sph", gravity()));
    EXPECT_TRUE(matches("sph::density", in_function("void sph::density<double, std::less<int> >")));
    EXPECT_TRUE(matches("density", in_function("void sph::density<double, std::less<int> >")));
    EXPECT_TRUE(matches("Grid::operator<<", in_function("Grid::operator<<")));
}

TEST(LoopRules, OnlyTheWordOperatorNamesAnOperator) {
    EXPECT_TRUE(matches("apply", in_function("ns::dslash_operator::apply")));
    EXPECT_TRUE(matches("apply_operator", in_function("__m_MOD_apply_operator")));
    EXPECT_TRUE(matches("operators", in_function("ns::operators<double>")));
    EXPECT_TRUE(matches("operator_", in_function("operator__")) || matches("operator", in_function("operator_")));
    for (const char* name : {"ns::operator<<", "ns::operator()", "ns::A::operator bool", "ns::operator new"}) {
        EXPECT_TRUE(matches(name, in_function(name)));
        EXPECT_FALSE(matches(std::string_view(name).substr(4), in_function(name))) << name;
    }
}

TEST(LoopRules, FortranNamesMatchWithoutDecoration) {
    EXPECT_TRUE(matches("push", in_function("__particles_MOD_push")));
    EXPECT_TRUE(matches("solve", in_function("solve_")));
    EXPECT_TRUE(matches("MAIN", in_function("MAIN__")));
    EXPECT_FALSE(matches("particles", in_function("__particles_MOD_push")));
}

TEST(LoopRules, StarsAndQuestionMarks) {
    for (const char* yes : {"*", "grav*:120", "gravity.cpp:1?0", "*::gra*", "*/core/*", "g*y", "**gravity", "?ravity"})
        EXPECT_TRUE(matches(yes, gravity())) << yes;
    for (const char* no : {"gravity.cpp:?", "*density*", "gravity?", "?", "g*z"})
        EXPECT_FALSE(matches(no, gravity())) << no;
    EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*b", in_function(std::string(5000, 'a')))) << "and soon";
}

TEST(LoopRules, NothingButStarsMatchesALoopWithoutAName) {
    EXPECT_FALSE(matches("main", LoopPlace{}));
    EXPECT_FALSE(matches("", LoopPlace{}));
}

TEST(LoopRules, TheFirstRuleCounts) {
    const auto rules = read_loop_rules("density=ss;gravity.cpp:120=none;gravity*=fac2;*=gss");
    EXPECT_EQ(first_match(rules, gravity()), 1);
    EXPECT_EQ(first_match(rules, in_function("density")), 0);
    EXPECT_EQ(first_match(rules, in_function("other")), 3);
    EXPECT_EQ(first_match(std::span(rules).first(3), in_function("other")), -1);
}

}  // namespace
}  // namespace gimbal
