// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/portfolio.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gimbal/error.hpp"
#include "scripted.hpp"
#include "technique/golden.hpp"

namespace {

using gimbal::Error;
using gimbal::find_technique;
using gimbal::parse_portfolio;
using gimbal::Portfolio;
using gimbal::Schedule;

std::string problem(const char* text) {
    try {
        (void)parse_portfolio(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(Portfolio, TheNamedOnesHaveTwelveDifferentTechniques) {
    for (const char* name : {"seed", "expert", " SEED ", "Expert"}) {
        std::set<const gimbal::Technique*> different;
        for (const Schedule& choice : parse_portfolio(name)) {
            ASSERT_NE(choice.technique, nullptr);
            different.insert(choice.technique);
        }
        EXPECT_EQ(different.size(), 12U) << name;
    }
    EXPECT_EQ(parse_portfolio("seed"), gimbal::seed_portfolio());
    EXPECT_EQ(parse_portfolio("expert"), gimbal::expert_portfolio());
}

TEST(Portfolio, AListKeepsOrderChunkAndFraction) {
    const Portfolio expected = {
        {find_technique("gss"), 8}, {find_technique("static")}, {find_technique("lws"), 16, 0.8}};
    EXPECT_EQ(parse_portfolio("gss,8 static lws,0.8:16"), expected);
    EXPECT_EQ(parse_portfolio(" ;gss,8;  static ;\tlws,0.8:16;\v "), expected);
}

TEST(Portfolio, ErrorsNameWhatIsWrong) {
    EXPECT_NE(problem("fac2 fac22").find("fac22"), std::string::npos);
    EXPECT_NE(problem("fac2 gss,x").find('x'), std::string::npos);
    EXPECT_NE(problem("fac2 runtime").find("runtime"), std::string::npos);
    EXPECT_NE(problem("fac2 expert").find("expert"), std::string::npos) << "a selector is no choice";
    EXPECT_NE(problem("monotonic:gss").find("monotonic"), std::string::npos);
    EXPECT_NE(problem("gss,8 fac2 gss,8").find("gss,8"), std::string::npos);
    EXPECT_NE(problem(" ; "), "none");
    EXPECT_EQ(problem("gss gss,8"), "none") << "chunks make choices differ";
}

TEST(Portfolio, MonotonicLoopsKeepWhatTheyCanHaveInOrder) {
    const Portfolio all = parse_portfolio("static static-steal gss lws-steal fac2");
    EXPECT_EQ(gimbal::monotonic_only(all), parse_portfolio("static gss fac2"));
    EXPECT_EQ(gimbal::monotonic_only(parse_portfolio("static-steal")), parse_portfolio("fac2"));
}

TEST(Portfolio, TheGoldenChunkStandsWhereNoneIsNamed) {
    // N = 16000, P = 16: log2(1000) = 9.97, m = floor(6.16) = 6, chunk = floor(16000 / (2^7 * 16)) = 7.
    EXPECT_EQ(gimbal::with_golden_chunk({find_technique("gss")}, 16000, 16).chunk, 7U);
    EXPECT_EQ(gimbal::with_golden_chunk({find_technique("gss"), 3}, 16000, 16).chunk, 3U);
    EXPECT_EQ(gimbal::with_golden_chunk({find_technique("lws"), 0, 0.5}, 16000, 16).fraction, 0.5);
}

TEST(Portfolio, TheGoldenChunkIsAtLeastOneWhateverTheLoop) {
    for (const std::uint64_t n : {0ULL, 1ULL, 2ULL, 15ULL, 16ULL, 17ULL, 1ULL << 40U, ~0ULL}) {
        for (const std::uint32_t p : {0U, 1U, 16U, ~0U}) {
            const std::uint64_t chunk = gimbal::technique::golden_chunk(n, p);
            EXPECT_GE(chunk, 1U);
            EXPECT_LE(chunk, std::max<std::uint64_t>(n, 1));
        }
    }
}

}  // namespace
