// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/joint_placement.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gimbal::pin {
namespace {

/// Threads on places of fixed speeds that change as is said.
struct Scripted {
    std::vector<Rotation::Occupant> occupants;
    std::map<std::uint64_t, double> done;
    Rotation rotation;

    explicit Scripted(const std::vector<double>& speeds) {
        for (std::size_t i = 0; i < speeds.size(); ++i) occupants.push_back({i, speeds[i], 0});
    }
    std::size_t run(int ticks) {
        std::size_t exchanged = 0;
        for (int tick = 0; tick < ticks; ++tick) {
            double mean = 0;
            for (const Rotation::Occupant& occupant : occupants)
                mean += occupant.speed / static_cast<double>(occupants.size());
            for (const Rotation::Occupant& occupant : occupants) {
                done[occupant.thread] += occupant.speed;
                rotation.add(occupant.thread, occupant.speed, mean);
            }
            for (const auto& [fast, slow] : rotation.exchanges(occupants)) {
                std::swap(occupants[index(fast)].thread, occupants[index(slow)].thread);
                ++exchanged;
            }
        }
        return exchanged;
    }
    [[nodiscard]] double spread() const {
        double least = 1e9;
        double most = 0;
        for (const auto& [thread, amount] : done) {
            least = std::min(least, amount);
            most = std::max(most, amount);
        }
        return most - least;
    }

private:
    [[nodiscard]] std::size_t index(std::uint64_t thread) const {
        for (std::size_t i = 0; i < occupants.size(); ++i)
            if (occupants[i].thread == thread) return i;
        return occupants.size();
    }
};

TEST(PinRotation, ThreadsOnUnequalPlacesGetOnAlike) {
    for (const std::vector<double>& speeds :
         {std::vector<double>{1, 0.5}, {1, 0.125, 0.125, 0.125, 0.125, 0.125}, {1, 1, 1, 0.5, 0.5}, {2, 1, 0.1}}) {
        Scripted scripted(speeds);
        scripted.run(200);
        EXPECT_LE(scripted.spread(), 2 * speeds.front()) << speeds.size() << " threads";
    }
}

TEST(PinRotation, EqualPlacesAreNotExchanged) {
    Scripted scripted({1, 1.05, 1, 0.98});
    EXPECT_EQ(scripted.run(500), 0u);
}

TEST(PinRotation, NoThreadIsInTwoPairs) {
    Scripted scripted({1, 1, 0.2, 0.2, 0.2});
    for (int tick = 0; tick < 50; ++tick) {
        for (const Rotation::Occupant& occupant : scripted.occupants)
            scripted.rotation.add(occupant.thread, occupant.speed, 0.5);
        std::set<std::uint64_t> seen;
        for (const auto& [fast, slow] : scripted.rotation.exchanges(scripted.occupants)) {
            EXPECT_TRUE(seen.insert(fast).second);
            EXPECT_TRUE(seen.insert(slow).second);
        }
    }
}

TEST(PinRotation, MemoryIsNotLeftBehind) {
    Scripted scripted({1, 0.1});
    scripted.occupants[1].kind = 1;
    EXPECT_EQ(scripted.run(100), 0u);
}

TEST(PinRotation, WhoComesLateIsNotMadeUpForForEver) {
    Rotation rotation;
    for (int tick = 0; tick < 1000; ++tick) rotation.add(1, 2, 1);
    EXPECT_DOUBLE_EQ(rotation.credit(1), 50);
    rotation.leave(1);
    EXPECT_DOUBLE_EQ(rotation.credit(1), 0);
}

TEST(PinRotation, NobodyAndOneAreNotExchanged) {
    const Rotation rotation;
    EXPECT_TRUE(rotation.exchanges({}).empty());
    EXPECT_TRUE(rotation.exchanges({{1, 1, 0}}).empty());
}

}  // namespace
}  // namespace gimbal::pin
