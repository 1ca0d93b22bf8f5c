// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many bytes learners write for a later run. Where one of these fails, runtime/kept/store.cpp needs a larger
// kLayout, so that no run reads what another version wrote; then the new number stands here.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "config/load.hpp"
#include "loop/learning.hpp"
#include "measure/cost_profile.hpp"
#include "measure/expectation.hpp"
#include "measure/prediction_error.hpp"
#include "select/drifting_bandit.hpp"
#include "select/leaving.hpp"
#include "select/static_trial.hpp"

namespace gimbal {
namespace {

constexpr const char* kWhatToDo = "raise kLayout in runtime/kept/store.cpp, then put down the new number";

template <class Learner, class... Arguments>
std::size_t bytes_of(const Learner& learner, Arguments... arguments) {
    ByteWriter to;
    learner.save(to, arguments...);
    return to.bytes().size();
}

TEST(KeptLayout, LearnersWriteAsManyBytesAsTheLayoutHas) {
    EXPECT_EQ(bytes_of(Leaving()), 17U) << kWhatToDo;
    EXPECT_EQ(bytes_of(StaticTrial()), 2U) << kWhatToDo;
    EXPECT_EQ(bytes_of(DriftingBandit(3, 0)), 78U) << kWhatToDo;
    EXPECT_EQ(bytes_of(Expectation(), 1e-9), 13U) << kWhatToDo;
    EXPECT_EQ(bytes_of(PredictionError()), 1U) << kWhatToDo;
}

TEST(KeptLayout, ACostProfileHasTwoBytesForEachBin) {
    ByteWriter bytes;
    bytes.put_real(100);  // iterations
    bytes.put_real(1e-3);
    bytes.put(std::uint8_t{2});
    bytes.put(std::uint16_t{1});
    bytes.put(std::uint16_t{2});
    ByteReader from(bytes.bytes());
    CostProfile profile;
    ASSERT_TRUE(profile.restore(from, 1e-9) && from.done()) << kWhatToDo;
    EXPECT_EQ(bytes_of(profile, 1e-9), bytes.bytes().size()) << kWhatToDo;
}

// One execution: nothing is known yet but its time.
TEST(KeptLayout, ALoopIsItsLearnersAndAFewNumbers) {
    set_option("background", "off");
    LoopClock nanoseconds;
    nanoseconds.tick_s = []() noexcept { return 1e-9; };
    LoopLearning loop("loop", 2, nanoseconds);
    const Opening opening = loop.open({.trip = 100});
    std::vector<WorkerSlot> slots(2);
    for (WorkerSlot& slot : slots) {
        slot.record = {.begin = 0, .end = 3000, .chunks = 1, .iterations = 50};
        if (opening.config.sampled) slot.begin_costs(100, 2);
        if (opening.config.timed) slot.begin_times();
    }
    loop.close({opening.config, opening.decision, *opening.plan, slots});
    EXPECT_EQ(loop.save().size(), 65U) << kWhatToDo;
}

}  // namespace
}  // namespace gimbal
