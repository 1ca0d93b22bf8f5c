// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <iterator>
#include <set>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "base/spelling.hpp"
#include "plan_checks.hpp"
#include "technique/plan_builder.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

// Asked for before main(), and before this file's other objects: the registry needs no start-up of its own.
const bool kFoundBeforeMain = find_technique("fac2") != nullptr && techniques().size() > 10;

TEST(Registry, IsCompleteBeforeMain) {
    EXPECT_TRUE(kFoundBeforeMain);
}

TEST(Registry, GivesEveryNameAndAliasToOneTechnique) {
    std::set<std::string_view> names;
    for (const Technique* technique : techniques()) {
        EXPECT_TRUE(names.insert(technique->info().name).second) << technique->info().name;
        EXPECT_EQ(find_technique(technique->info().name), technique);
        for (const std::string_view alias : technique->info().aliases) {
            EXPECT_TRUE(names.insert(alias).second) << alias;
            EXPECT_EQ(find_technique(alias), technique);
        }
    }
    for (const std::string_view name : names) {
        EXPECT_EQ(technique::normalised(name), name) << "names are stored normalised";
        EXPECT_NE(name, "runtime");
        EXPECT_NE(name, "auto");
    }
}

constexpr std::string_view kFamilies[] = {"planned", "adaptive", "stealing", "lightweight", "feedback"};

TEST(Registry, DescribesEveryTechnique) {
    for (const Technique* technique : techniques()) {
        const TechniqueInfo& info = technique->info();
        const auto family = std::find(std::begin(kFamilies), std::end(kFamilies), info.family);
        EXPECT_NE(family, std::end(kFamilies)) << info.name << " is of family " << info.family;
        EXPECT_FALSE(info.summary.empty()) << info.name;
        EXPECT_EQ(info.summary.back(), '.') << info.name;
        EXPECT_FALSE(info.parameter.empty()) << info.name;
        EXPECT_FALSE(info.source.empty()) << info.name;
        const bool statistical = info.name == "fsc" || info.name == "fac" || info.name == "tap" || info.name == "bold";
        EXPECT_EQ(info.needs_statistics, statistical) << info.name;
    }
}

TEST(Registry, FilesEveryTechniqueUnderTheFamilyOfWhatItDoes) {
    for (const Technique* technique : techniques()) {
        const TechniqueInfo& info = technique->info();
        const bool fractional = info.fraction != FractionSource::none;
        const bool learns = technique->adaptive() || (info.needs_weights && !fractional);
        EXPECT_EQ(info.family == "adaptive", learns) << info.name;
        EXPECT_EQ(info.family == "lightweight" || info.family == "feedback", fractional) << info.name;
        if (info.family == "planned") {
            EXPECT_FALSE(info.needs_profile) << info.name;
        }
    }
}

TEST(Registry, CallsMonotonicWhatNeverSteals) {
    for (const Technique* technique : techniques()) {
        const Plan plan = technique->plan({.iterations = 1000, .workers = 4, .fraction = 0.5});
        EXPECT_EQ(technique->info().monotonic, plan.claim != Claim::queues) << technique->info().name;
    }
}

TEST(Registry, KnowsTheNamesOfLb4ompAndLb4mpi) {
    const std::pair<std::string_view, std::string_view> kNames[] = {
        {"dynamic", "ss"}, {"trapezoidal", "tss"}, {"fac2a", "fac2"}, {"fac2b", "fac2"},    {"mfac2", "fac2"},
        {"faca", "fac"},   {"mfac", "fac"},        {"wf", "wf2"},     {"STATIC", "static"}, {"SS", "ss"},
        {"FSC", "fsc"},    {"mFSC", "mfsc"},       {"GSS", "gss"},    {"TSS", "tss"},       {"FAC", "fac"},
        {"WF", "wf2"},     {"m_fsc", "m-fsc"},
    };
    for (const auto& [spelling, name] : kNames) {
        EXPECT_EQ(find_technique(spelling), find_technique(name)) << spelling;
    }
}

TEST(Registry, FindsNothingForOtherNames) {
    for (const std::string_view name : {"", " ", "fac3", "fac2x", "fac", "auto", "runtime", "static_stealing", "a,b"}) {
        EXPECT_EQ(find_technique(name) == nullptr, name != "fac") << name;
    }
    EXPECT_EQ(find_technique(std::string(10240, 'a')), nullptr);
}

TEST(Spells, IgnoresCaseBlanksAndTheKindOfDash) {
    EXPECT_TRUE(technique::spells("A W\tF_b", "awf-b"));
    EXPECT_TRUE(technique::spells("awf-B", "awf-b"));
    EXPECT_FALSE(technique::spells("awfb", "awf-b"));
    EXPECT_FALSE(technique::spells("awf-", "awf-b"));
    EXPECT_FALSE(technique::spells("awf-bb", "awf-b"));
}

TEST(Nearest, CountsEdits) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("abc", ""), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("fac22", "fac2"), 1u);
    EXPECT_EQ(edit_distance("fca2", "fac2"), 1u) << "an exchange of neighbours is one edit";
    EXPECT_EQ(edit_distance("ba", "ab"), 1u);
    EXPECT_EQ(edit_distance("ca", "abc"), 3u) << "and nothing stands between them";
}

TEST(Nearest, SuggestsUpToTwoEditsAndNothingThatSharesNothing) {
    constexpr std::string_view kNames[] = {"ss", "static", "fac", "fac2"};
    EXPECT_EQ(nearest("statci", kNames), "static");
    EXPECT_EQ(nearest("fac2", kNames), "fac2");
    EXPECT_EQ(nearest("fac3", kNames), "fac");
    EXPECT_EQ(nearest("xy", kNames), "");
    constexpr std::string_view kShort[] = {"off"};
    EXPECT_EQ(nearest("foo", kShort), "") << "most of its letters are others";
    EXPECT_EQ(nearest("of", kShort), "off");
    EXPECT_EQ(nearest("", kNames), "");
    EXPECT_EQ(nearest("dynamic", kNames), "");
    EXPECT_EQ(nearest(std::string(10240, 'f'), kNames), "");
}

TEST(QuoteValue, CutsAndEscapes) {
    EXPECT_EQ(quote_value("fac2"), "\"fac2\"");
    EXPECT_EQ(quote_value("a\tb\x7f"), "\"a\\tb\\x7f\"");
    EXPECT_EQ(quote_value(std::string(41, 'y')), "\"" + std::string(40, 'y') + "...\"");
}

TEST(Rounding, UpKeepsIntegersThatAreMissedByRoundingErrorsAlone) {
    EXPECT_EQ(technique::ceil_of(2.0), 2u);
    EXPECT_EQ(technique::ceil_of(2.0000000000000004), 2u);
    EXPECT_EQ(technique::ceil_of(1.9999999999999998), 2u);
    EXPECT_EQ(technique::ceil_of(2.000001), 3u);
    EXPECT_EQ(technique::ceil_of(1e-300), 1u);
    EXPECT_EQ(technique::ceil_of(0), 0u);
    EXPECT_EQ(technique::ceil_of(-3.5), 0u);
    EXPECT_EQ(technique::ceil_of(1e300), ~std::uint64_t{0});
    EXPECT_EQ(technique::ceil_of(0.0 / std::numeric_limits<double>::quiet_NaN()), 0u);
    EXPECT_EQ(technique::nearest_of(2.5), 3u);
    EXPECT_EQ(technique::nearest_of(std::numeric_limits<double>::infinity()), ~std::uint64_t{0});
    EXPECT_EQ(technique::ceil_div(~std::uint64_t{0}, 2), std::uint64_t{1} << 63);
}

}  // namespace
