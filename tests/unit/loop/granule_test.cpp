// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever technique or selector runs a loop, its chunks begin at multiples of the loop's granule
// and of the chunk that was named, and all but the last have a multiple of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "config/selection.hpp"
#include "gimbal/random.hpp"
#include "gimbal/technique.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "team.hpp"
#include "technique/granule.hpp"

namespace {

using gimbal::Range;
using gimbal::test::loop_desc;

constexpr std::size_t kMaxDrawn = 4000;  // chunks of one execution; the rest of a longer loop is given up

/// One execution, whose workers draw in a random order but in one thread. @return its chunks as they were drawn
std::vector<Range> draw_all(const gimbal_loop_desc& desc, gimbal::Random& random) {
    void* const execution = gimbal_loop_open(&desc);
    std::vector<gimbal_share> shares(desc.workers);
    for (std::uint32_t i = 0; i < desc.workers; ++i) gimbal_loop_begin(execution, i, &shares[i]);
    std::vector<bool> drawing(desc.workers, true);
    std::vector<Range> chunks;
    for (std::size_t left = desc.workers; left > 0 && chunks.size() < kMaxDrawn;) {
        const std::size_t worker = random.next() % desc.workers;
        if (!drawing[worker]) continue;
        gimbal_share& share = shares[worker];
        Range chunk;
        if (share.fast ? gimbal_share_next(&share, &chunk.first, &chunk.end)
                       : gimbal_loop_next(&share, &chunk.first, &chunk.end)) {
            chunks.push_back(chunk);
        } else {
            drawing[worker] = false;
            --left;
        }
    }
    for (gimbal_share& share : shares) gimbal_loop_end(&share);
    return chunks;
}

/// What is wrong with chunks that were drawn; empty: nothing.
std::string flaw_of(std::vector<Range> chunks, std::uint64_t trip, std::uint64_t granule, bool exact) {
    std::sort(chunks.begin(), chunks.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
    const bool complete = chunks.size() < kMaxDrawn;
    std::uint64_t next = 0;
    for (const Range& chunk : chunks) {
        const std::string text = "[" + std::to_string(chunk.first) + ", " + std::to_string(chunk.end) + ")";
        if (chunk.end <= chunk.first || chunk.end > trip || (complete ? chunk.first != next : chunk.first < next))
            return text + " does not follow the chunk before";
        if (chunk.first % granule != 0) return text + " begins within a granule";
        if (chunk.end % granule != 0 && chunk.end != trip) return text + " ends within a granule";
        if (exact && chunk.size() != granule && chunk.end != trip) return text + " has another size";
        next = chunk.end;
    }
    return complete && next != trip ? std::to_string(next) + " is the end" : "";
}

struct Sizes {
    std::uint64_t granule, trip;
};

/// Loops about as long as some granules, and some that are as long as 64 bits allow.
std::vector<Sizes> loops() {
    std::vector<Sizes> all;
    for (const std::uint64_t granule : {1U, 2U, 7U, 64U, 1024U}) {
        for (const std::uint64_t granules : {1U, 5U, 40U, 300U})
            for (const std::uint64_t more : {std::uint64_t{0}, std::uint64_t{1}, granule / 2, granule - 1})
                all.push_back({granule, granules * granule + more});
        all.push_back({granule, granule - 1});
        all.push_back({granule, 0});
    }
    const std::uint64_t large = std::uint64_t{1} << 57U;
    all.insert(all.end(), {{large, UINT64_MAX / 2}, {large, UINT64_MAX}, {3 * large, UINT64_MAX / 2 + 1}});
    all.insert(all.end(), {{1U << 20U, std::uint64_t{1} << 50U}, {UINT64_MAX / 2, UINT64_MAX}});
    return all;
}

/// All loops under one schedule, each a few times: what was learnt about one is of use to the next.
void expect_granules(const gimbal::ScheduleSpec& asked, std::uintptr_t id) {
    gimbal::Random random(id);
    for (const std::uint64_t named : {0U, 1U, 5U, 64U, 1500U}) {
        gimbal::ScheduleSpec schedule = asked;
        schedule.chunk = named;
        const int number = gimbal::intern(schedule);
        const bool exact = named > 0 && asked.technique && asked.technique->info().chunk == gimbal::ChunkMeaning::exact;
        for (const auto& [granule, trip] : loops()) {
            for (const std::uint32_t workers : {2U, 3U, 8U}) {
                gimbal_loop_desc desc = loop_desc(id, trip, workers, number);
                desc.unit = granule;
                const std::uint64_t together = gimbal::granule_of(granule, named);
                for (int execution = 0; execution < 3; ++execution) {
                    const std::string flaw = flaw_of(draw_all(desc, random), trip, together, exact);
                    ASSERT_EQ(flaw, "") << gimbal::to_string(schedule) << " N=" << trip << " granule=" << granule
                                        << " P=" << workers << " execution " << execution;
                }
            }
        }
    }
}

class GranulesUnderTechnique : public testing::TestWithParam<const gimbal::Technique*> {};

TEST_P(GranulesUnderTechnique, StayTogether) {
    gimbal::ScheduleSpec schedule;
    schedule.technique = GetParam();
    const auto place = std::find(gimbal::techniques().begin(), gimbal::techniques().end(), GetParam());
    expect_granules(schedule, 0x17100000U + static_cast<std::uintptr_t>(place - gimbal::techniques().begin()));
}

class GranulesUnderSelector : public testing::TestWithParam<std::size_t> {};

TEST_P(GranulesUnderSelector, StayTogether) {
    gimbal::ScheduleSpec schedule;
    schedule.selector = gimbal::selectors()[GetParam()].name;
    expect_granules(schedule, 0x17200000U + GetParam());
}

std::string word(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

INSTANTIATE_TEST_SUITE_P(All, GranulesUnderTechnique, testing::ValuesIn(gimbal::techniques()),
                         [](const auto& one) { return word(one.param->info().name); });
INSTANTIATE_TEST_SUITE_P(All, GranulesUnderSelector,
                         testing::Range(std::size_t{0}, std::size_t{gimbal::selectors().size()}),
                         [](const auto& one) { return word(gimbal::selectors()[one.param].name); });

// Who has to run a loop by itself keeps it, too, wherever c was named.
TEST(NamedChunk, IsToldToACallerForWhomThereWasNoMemory) {
    const auto granule = [](const char* text, std::uint64_t unit) {
        gimbal_loop_desc desc = loop_desc(0x17300000, 10'000, 3, gimbal::intern(gimbal::parse_schedule(text)));
        desc.unit = unit;
        return gimbal_loop_granule(&desc);
    };
    EXPECT_EQ(granule("fac2", 1), 1U);
    EXPECT_EQ(granule("fac2", 1000), 1000U);
    EXPECT_EQ(granule("fac2,1024", 1), 1024U);
    EXPECT_EQ(granule("ss,5", 1000), 1000U);
    EXPECT_EQ(granule("lws,0.5:1500", 1000), 2000U);
    EXPECT_EQ(granule("expert,7", 4), 8U);
    EXPECT_EQ(granule("runtime,64", 1), 64U);
    EXPECT_EQ(granule("runtime", 1), 1U);
    gimbal::set_option("schedule", "gss,48");
    EXPECT_EQ(granule("runtime", 1), 48U);
    EXPECT_EQ(granule("runtime,64", 1), 64U);
    EXPECT_EQ(granule("fac2", 1), 1U);
    gimbal::set_option("schedule", "runtime");
}

// omp_get_schedule() says it, omp_set_schedule() with the same numbers sets it again.
TEST(NamedChunk, OfASelectorSurvivesOpenMPsInterface) {
    for (const char* const text : {"runtime,1024", "sarsa,64", "gss,64", "static-steal,8", "lws,0.5:16"}) {
        const int number = gimbal::intern(gimbal::parse_schedule(text));
        int chunk = 0;
        const int kind = gimbal_schedule_kind(number, &chunk);
        EXPECT_EQ(gimbal_schedule_set(kind, chunk), number) << text;
    }
}

}  // namespace
