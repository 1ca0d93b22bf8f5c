// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a foreman hands out and tells, without messages.
#include "loop/execution_state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/execution.hpp"
#include "engine/rank_chunk.hpp"
#include "gimbal/technique.hpp"
#include "loop/site.hpp"

namespace gimbal::mpi {
namespace {

constexpr std::uint32_t kRanks = 4;
constexpr std::uint64_t kTrip = 1000;

// @param ranks  of a group, which run each other's chunks
RankGroups groups_of(std::uint32_t ranks) {
    RankGroups groups;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
        groups.group_of.push_back(rank / ranks);
        if (rank % ranks == 0) groups.ranks_of.emplace_back();
        groups.ranks_of.back().push_back(rank);
    }
    return groups;
}

/// An execution under a technique of the ranks, of which this is said for the threads.
class Foreman {
public:
    Foreman(const std::string& name, const char* technique, const Within& within, bool robust = false,
            std::uint32_t group = 1, std::uint64_t trip = kTrip)
        : groups_(groups_of(group)), site_(gimbal_rank_site(name.c_str(), kRanks)) {
        std::array<char, 512> message{};
        const int schedule = gimbal_rank_schedule(technique, message.data(), message.size());
        EXPECT_GT(schedule, 0) << message.data();
        void* const decided = gimbal_rank_decide(site_, trip, schedule);
        auto& execution = *static_cast<Execution*>(decided);
        ExecutionConfig config = execution.config();
        config.within = within;
        config.sampled = config.sampled || within.sampled;
        execution.prepare(kRanks, config, execution.shared_plan());
        state.emplace(0, LoopParameters{.trip = trip}, decided, groups_, robust);
    }

    /// Every rank in turn gets what it can. @return chunks, in their order
    std::vector<ChunkBounds> hand_out() {
        std::vector<ChunkBounds> chunks;
        for (bool more = true; more;) {
            more = false;
            for (std::uint32_t rank = 0; rank < kRanks; ++rank)
                if (!state->rank_state(rank).left && hand_out_to(rank, chunks)) more = true;
        }
        return chunks;
    }

    /// @return false: nothing is left for that rank
    bool hand_out_to(std::uint32_t rank, std::vector<ChunkBounds>& chunks) {
        ChunkRange chunk;
        if (!state->draw(rank, chunk)) return false;
        chunks.push_back({chunk.first, chunk.end});
        // The later iterations take longer.
        const std::uint64_t cost = (chunk.end - chunk.first) * (chunk.first + chunk.end);
        state->report(rank, 1e-9 * static_cast<double>(cost), chunk.end - chunk.first, 0);
        state->finish(chunk);
        return true;
    }

    [[nodiscard]] LoopSite& site() const { return *static_cast<LoopSite*>(site_); }

private:
    RankGroups groups_;
    void* site_;

public:
    std::optional<ExecutionState> state;
};

void expect_once(const std::vector<ChunkBounds>& chunks, const std::string& what) {
    std::vector<int> ran(kTrip);
    for (const ChunkBounds& chunk : chunks)
        for (std::uint64_t i = chunk.first; i < chunk.end; ++i) ++ran[i];
    EXPECT_EQ(ran, std::vector<int>(kTrip, 1)) << what;
}

TEST(Foreman, HandsOutLargeChunksOnceATrialHasLastedTooLong) {
    for (const bool robust : {false, true}) {
        Foreman usual("foreman usual", "ss", {}, robust);
        EXPECT_EQ(usual.hand_out().size(), kTrip);
        Foreman trial("foreman trial", "ss", {.trial = true, .limit = 1}, robust);
        const std::vector<ChunkBounds> chunks = trial.hand_out();
        expect_once(chunks, robust ? "robust" : "not robust");
        EXPECT_LT(chunks.size(), kTrip / 10);
        EXPECT_LE(chunks[0].end - chunks[0].first, kTrip / kRanks) << "no rank gets more than its part";
    }
}

TEST(Foreman, EndsTrialsOfEveryTechniqueWithEveryIterationOnce) {
    for (const Technique* const technique : techniques()) {
        const std::string name(technique->info().name);
        Foreman trial("foreman trial of " + name, name.c_str(), {.trial = true, .limit = 1});
        expect_once(trial.hand_out(), name);
    }
}

/// Every rank gets all that is its own in one run: the chunks of `static,SIZE`, each iteration in one of them.
/// @param listed  look at every iteration; else only at how many there are
void hand_out_runs(std::uint64_t trip, std::uint64_t size, bool listed) {
    const std::string what = "static," + std::to_string(size) + " of " + std::to_string(trip);
    Foreman foreman("foreman runs " + what, what.substr(0, what.find(' ')).c_str(), {}, false, 1, trip);
    std::vector<int> ran(listed ? trip : 0);
    std::uint64_t chunks = 0, iterations = 0;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
        ChunkRange run;
        if (!foreman.state->draw_own(rank, run)) continue;
        for (std::uint64_t k = 0; listed && k < run.count; ++k)
            for (std::uint64_t i = run.first + k * run.stride; i < std::min(run.end + k * run.stride, trip); ++i)
                ++ran[i];
        const gimbal_share& share = foreman.state->rank_state(rank).share;
        EXPECT_EQ(share.chunks, run.count) << what;
        chunks += share.chunks;
        iterations += share.iterations;
        EXPECT_FALSE(foreman.state->draw_own(rank, run)) << what;
        EXPECT_FALSE(foreman.state->has_own(rank) && share.step < share.step_end) << what;
    }
    EXPECT_EQ(ran, std::vector<int>(ran.size(), 1)) << what;
    EXPECT_EQ(chunks, trip / size + (trip % size > 0 ? 1 : 0)) << what;
    EXPECT_EQ(iterations, trip) << what;
    EXPECT_TRUE(foreman.state->all_out()) << what;
}

TEST(Foreman, HandsOutWhatBelongsToARankAtOnce) {
    for (const std::uint64_t trip : {0U, 1U, 2U, 3U, 4U, 5U, 999U, 1000U, 1001U})
        for (const std::uint64_t size : {1U, 2U, 7U, 250U, 400U, 5000U}) hand_out_runs(trip, size, true);
}

// One by one the chunks of such a loop take years.
TEST(Foreman, HandsOutWhatBelongsToARankAtOnceInLoopsOf64Bits) {
    constexpr std::uint64_t kLargest = INT64_MAX;
    for (const std::uint64_t trip : {kLargest, kLargest - 1, std::uint64_t{1} << 62, (std::uint64_t{1} << 40) + 3})
        for (const std::uint64_t size : {1U, 7U, 1000U}) hand_out_runs(trip, size, false);
}

// A foreman that leaves releases what is its own. Its thread asks to be called from inside its loops, and so draws the
// longer way: one by one the chunks of a long loop would take years all the same, and memory for each.
TEST(Foreman, GetsItsOwnAtOnceWhereItsThreadIsCalledFromInsideItsLoops) {
    gimbal_progress_set([](void*) {}, nullptr, 1);
    Foreman foreman("foreman called", "static,1", {});
    ChunkRange chunk;
    ASSERT_TRUE(foreman.state->draw(0, chunk));
    EXPECT_TRUE(foreman.state->draw_own(0, chunk));
    EXPECT_EQ(chunk.count, kTrip / kRanks - 1);
    Foreman measured("foreman measured", "static,1", {.sampled = true});
    EXPECT_FALSE(measured.state->draw_own(0, chunk)) << "chunks are measured one by one";
    gimbal_progress_set(nullptr, nullptr, 1);
}

/// Four executions, of which rank 1 leaves the second before its first chunk and the fourth after it.
void leave_early(const std::string& schedule, bool robust, std::uint32_t group) {
    const std::string what = schedule + (robust ? ", robust" : "") + ", groups of " + std::to_string(group);
    for (int execution = 0; execution < 4; ++execution) {
        Foreman foreman("foreman left " + what, schedule.c_str(), {}, robust, group);
        std::vector<ChunkBounds> chunks;
        if (execution == 3) foreman.hand_out_to(1, chunks);
        if (execution % 2 == 1) foreman.state->leave(1, 0, {.rank = 1}, false);
        const std::vector<ChunkBounds> others = foreman.hand_out();
        chunks.insert(chunks.end(), others.begin(), others.end());
        expect_once(chunks, what + ", execution " + std::to_string(execution));
        EXPECT_TRUE(foreman.state->all_out()) << what;
        for (std::uint32_t rank = 1; rank < kRanks; ++rank)
            foreman.state->leave(rank, 0, {.rank = rank, .to_s = 1e-3}, false);
        foreman.state->foreman_leaves({});
        foreman.state->close();
    }
}

// Also once it is known what iterations cost: then some techniques give each rank several pieces.
TEST(Foreman, HandsOutToOthersWhatBelongsToARankThatLeaves) {
    std::vector<std::string> schedules{"static,7", "lws,0.5:8"};
    for (const Technique* const technique : techniques()) schedules.emplace_back(technique->info().name);
    for (const std::string& schedule : schedules)
        for (const bool robust : {false, true})
            for (const std::uint32_t group : {1U, 2U}) leave_early(schedule, robust, group);
}

// It has drawn some of its chunks and finished them, and nothing is heard of it then.
TEST(Foreman, HandsOutWhatBelongsToARankThatIsNotHeardOfAnyMore) {
    for (const std::uint32_t gone : {0U, 2U}) {
        Foreman foreman("foreman not heard of", "static,10", {}, true);
        std::vector<ChunkBounds> chunks;
        EXPECT_TRUE(foreman.hand_out_to(gone, chunks));
        for (std::uint32_t rank = 0; rank < kRanks; ++rank)
            while (rank != gone && foreman.hand_out_to(rank, chunks)) continue;
        usleep(100'000);
        while (foreman.hand_out_to(1, chunks)) usleep(1000);
        EXPECT_TRUE(foreman.state->all_out());
        expect_once(chunks, "rank " + std::to_string(gone));
    }
}

TEST(Foreman, SaysWhatThreadsShallRunAndThatRanksHearOfIt) {
    const Within within{.technique = find_technique("tss"), .trial = true};
    Foreman foreman("foreman says", "fac2", within);
    EXPECT_EQ(unpacked(foreman.state->within()), within);
    EXPECT_TRUE(foreman.site().teams().told());
}

/// A rank whose threads ran a chunk and measured its iterations, each of which took `time_s`.
std::vector<gimbal_rank_cost> costs_of(std::uint64_t within, ChunkBounds ran, double time_s, std::uint64_t said) {
    gimbal_rank_chunk chunk{};
    gimbal_rank_describe(nullptr, kTrip, &chunk);
    gimbal_rank_follow(&chunk, within, kRanks);
    const std::uint64_t size = ran.end - ran.first;
    std::vector<WorkerSlot> slots(1);
    slots[0].begin_costs(size, 1);
    slots[0].costs->add({0, size}, time_s / gimbal_rank_tick_s() * static_cast<double>(size));
    costs_in_chunks().add({.first = ran.first, .whole = kTrip}, size, slots);
    std::vector<gimbal_rank_cost> costs(GIMBAL_RANK_MAX_COSTS);
    costs.resize(gimbal_rank_costs(&chunk, kRanks, said, costs.data()));
    return costs;
}

double sum_s(const ExecutionState& state, std::uint32_t rank) {
    return static_cast<const Execution*>(state.execution())->slots()[rank].costs->time() * gimbal_rank_tick_s();
}

TEST(Foreman, LearnsWhatThreadsMeasuredInPlaceOfTheTimesOfChunks) {
    Foreman foreman("foreman learns", "fac2", {.technique = find_technique("gss"), .sampled = true});
    ExecutionState& state = *foreman.state;
    ChunkRange chunk;
    ASSERT_TRUE(state.draw(1, chunk));
    ASSERT_TRUE(state.draw(2, chunk));
    state.report(1, 5.0, 10, 0);  // what ranks say of their chunks
    state.leave(1, 0, {.rank = 1, .to_s = 1}, false);
    state.measured_by_threads(1, costs_of(state.within(), {100, 350}, 2e-3, 250));
    EXPECT_NEAR(sum_s(state, 1), 0.5, 1e-4);
    state.leave(2, 0, {.rank = 2, .to_s = 1}, false);
    state.measured_by_threads(2, costs_of(state.within(), {350, 400}, 2e-3, 100));
    EXPECT_EQ(sum_s(state, 2), 0) << "threads did not run all that the rank ran";
}

TEST(Foreman, KnowsWhatItsOwnPiecesCostBesidesTheirTeams) {
    Foreman foreman("foreman pieces", "fac2", {});
    TeamsInChunks& teams = foreman.site().teams();
    EXPECT_EQ(gimbal_rank_least(foreman.state->execution()), 0U);
    for (int piece = 0; piece < 8; ++piece) teams.add(2, 100, 90, true);
    EXPECT_EQ(gimbal_rank_least(foreman.state->execution()), 8U);
    ChunkRange chunk;
    ASSERT_TRUE(foreman.state->draw(0, chunk));
    foreman.state->foreman_leaves({.ticks = 8 * 120, .iterations = 64, .chunks = 8});
    EXPECT_DOUBLE_EQ(teams.overhead(), 20) << "one chunk was drawn, and run in eight pieces";
}

TEST(Foreman, AsksForNothingWhereThreadsDoNotMeasure) {
    const Foreman foreman("foreman asks not", "fac2", {.technique = find_technique("gss")});
    EXPECT_TRUE(costs_of(foreman.state->within(), {0, 100}, 1e-3, 100).empty());
}

}  // namespace
}  // namespace gimbal::mpi
