// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/machine.hpp"

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "gimbal/error.hpp"
#include "machine/affinity.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Machine dry(const std::string& synthetic, const std::string& nodes = "", const std::string& reserve = "") {
    return Machine({.synthetic = synthetic,
                    .pseudo_nodes = parse_pseudo_nodes(nodes, "nodes"),
                    .reserve = parse_pu_list(reserve, "reserve"),
                    .witness = 0});
}

/// A thread that waits, to be a witness whose mask can be changed without harm to the test.
class Waiting {
public:
    Waiting()
        : thread_([this] {
              tid_ = static_cast<pid_t>(syscall(SYS_gettid));
              while (!end_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }) {
        while (tid_ == 0) std::this_thread::yield();
    }
    ~Waiting() {
        end_ = true;
        thread_.join();
    }
    [[nodiscard]] pid_t tid() const { return tid_; }

private:
    std::atomic<pid_t> tid_{0};
    std::atomic<bool> end_{false};
    std::thread thread_;
};

TEST(Machine, ADryRunMayUseEverything) {
    const Machine machine = dry("numa:2 core:4 pu:2");
    EXPECT_FALSE(machine.real());
    EXPECT_EQ(machine.allowed().size(), 16U);
    EXPECT_EQ(machine.view().pus(), machine.allowed());
    EXPECT_EQ(machine.node_of(0), 0);
    EXPECT_EQ(machine.node_of(15), 1);
    EXPECT_EQ(machine.node_of(99), -1);
    EXPECT_EQ(machine.memory_of(15), 1);
    EXPECT_EQ(machine.memory_of(-3), kNoMemory);
    EXPECT_EQ(machine.pu(3)->sibling, 1);
    EXPECT_EQ(machine.pu(16), nullptr);
}

TEST(Machine, ADryRunNeverChanges) {
    Machine machine = dry("numa:1 core:4 pu:1");
    EXPECT_FALSE(machine.refresh().any());
}

TEST(Machine, PseudoNodesReplaceItsNodes) {
    const Machine machine = dry("numa:1 core:16 pu:1", "0-7;8-15");
    EXPECT_EQ(machine.place().inside.size(), 2U);
    EXPECT_EQ(machine.node_of(7), 0);
    EXPECT_EQ(machine.node_of(8), 1);
    EXPECT_EQ(machine.memory_of(8), 0);
    EXPECT_THROW((void)dry("numa:1 core:2 pu:1", "0-7"), Error);
}

TEST(Machine, TheReserveIsNobodys) {
    const Machine machine = dry("numa:1 core:4 pu:1", "", "0,2");
    EXPECT_THAT(machine.usable(), ElementsAre(1, 3));
    EXPECT_THAT(machine.view().pus(), ElementsAre(1, 3));
    EXPECT_EQ(machine.allowed().size(), 4U);
}

TEST(Machine, AReserveThatCannotBeIsRefused) {
    try {
        (void)dry("numa:1 core:2 pu:1", "", "5");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("processors 5, which this machine does not have"));
    }
    try {
        (void)dry("numa:1 core:2 pu:1", "", "0-1");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("leaves no processor"));
    }
}

TEST(Machine, TheRealOneIsWithinTheMask) {
    const Machine machine;
    ASSERT_TRUE(machine.real());
    EXPECT_TRUE(without(machine.allowed(), allowed_pus(0)).empty());
    EXPECT_EQ(machine.view().pus(), machine.allowed());
}

TEST(Machine, FollowsTheMaskOfItsWitness) {
    const Waiting witness;
    Machine machine({.synthetic = {}, .pseudo_nodes = {}, .reserve = {}, .witness = witness.tid()});
    const std::vector<int> before = machine.allowed();
    if (before.size() < 2) GTEST_SKIP() << "only one processor may be used here";
    EXPECT_FALSE(machine.refresh().any());
    const std::vector<int> less(before.begin() + 1, before.end());
    ASSERT_EQ(set_affinity(witness.tid(), less), 0);
    const MachineChange shrunk = machine.refresh();
    EXPECT_THAT(shrunk.gone, ElementsAre(before.front()));
    EXPECT_THAT(shrunk.text(), HasSubstr("may no longer be used"));
    EXPECT_EQ(machine.allowed(), less);
    ASSERT_EQ(set_affinity(witness.tid(), before), 0);
    EXPECT_THAT(machine.refresh().come, ElementsAre(before.front()));
    EXPECT_EQ(machine.view().pus(), before);
}

TEST(Machine, GivesUpItsReserveBeforeItIdlesThreads) {
    const Waiting witness;
    const std::vector<int> all = allowed_pus(0);
    if (all.size() < 2) GTEST_SKIP() << "only one processor may be used here";
    Machine machine({.synthetic = {}, .pseudo_nodes = {}, .reserve = {all.front()}, .witness = witness.tid()});
    ASSERT_EQ(set_affinity(witness.tid(), std::vector<int>{all.front()}), 0);
    EXPECT_TRUE(machine.refresh().any());
    EXPECT_THAT(machine.usable(), ElementsAre(all.front()));
    ASSERT_EQ(machine.notes().size(), 1U);
    EXPECT_THAT(machine.notes()[0], HasSubstr("only reserved processors are left"));
}

TEST(Machine, StaysAsItWasWhenItsWitnessHasEnded) {
    auto witness = std::make_unique<Waiting>();
    Machine machine({.synthetic = {}, .pseudo_nodes = {}, .reserve = {}, .witness = witness->tid()});
    const std::vector<int> before = machine.allowed();
    witness.reset();
    EXPECT_FALSE(machine.refresh().any());
    EXPECT_EQ(machine.allowed(), before);
}

}  // namespace
}  // namespace gimbal::pin
