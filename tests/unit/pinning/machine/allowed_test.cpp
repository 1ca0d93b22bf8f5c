// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/affinity.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace gimbal::pin {
namespace {

/// Above what the kernel gives out unless all others are taken.
constexpr pid_t kNobody = 4194303;

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::Optional;

/// A proc and a sys of our own.
class Cgroup : public testing::Test {
protected:
    Cgroup() : root_(fs::temp_directory_path() / ("gimbal_cgroup_" + std::to_string(getpid()))) {}
    ~Cgroup() override { fs::remove_all(root_); }

    void write(const std::string& path, const std::string& text) {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }
    [[nodiscard]] auto pus() const { return cgroup_pus(0, root_.string()); }

    fs::path root_;
};

TEST_F(Cgroup, VersionTwoGrantsItsEffectiveSet) {
    write("proc/self/cgroup", "0::/user/job\n");
    write("proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
    write("sys/fs/cgroup/user/job/cpuset.cpus.effective", "4-5\n");
    write("sys/fs/cgroup/cpuset.cpus.effective", "0-7\n");
    EXPECT_THAT(pus(), Optional(ElementsAre(4, 5)));
}

TEST_F(Cgroup, WithoutTheControllerTheGroupAboveCounts) {
    write("proc/self/cgroup", "0::/user/job\n");
    write("proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
    write("sys/fs/cgroup/user/cpuset.cpus.effective", "2-3\n");
    EXPECT_THAT(pus(), Optional(ElementsAre(2, 3)));
}

TEST_F(Cgroup, InAContainerTheTopOfTheMountCounts) {
    write("proc/self/cgroup", "0::/a/path/of/the/host\n");
    write("proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
    write("sys/fs/cgroup/cpuset.cpus.effective", "1\n");
    EXPECT_THAT(pus(), Optional(ElementsAre(1)));
}

TEST_F(Cgroup, VersionOneHasTheCpusetControllerBesideOthers) {
    write("proc/self/cgroup", "5:cpuacct,cpu:/x\n4:cpuset:/job\n0::/\n");
    write("proc/self/mounts",
          "cgroup /sys/fs/cgroup/cpu cgroup rw,cpuacct,cpu 0 0\n"
          "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n");
    write("sys/fs/cgroup/cpuset/job/cpuset.cpus", "0-3\n");
    EXPECT_THAT(pus(), Optional(ElementsAre(0, 1, 2, 3)));
    write("sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "0-1\n");
    EXPECT_THAT(pus(), Optional(ElementsAre(0, 1)));
}

TEST_F(Cgroup, AMountMayHaveABlankInItsPath) {
    write("proc/self/cgroup", "0::/job\n");
    write("proc/self/mounts", "cgroup2 /my\\040groups\\134x cgroup2 rw 0 0\n");
    write("my groups\\x/job/cpuset.cpus.effective", "3\n");
    EXPECT_THAT(pus(), Optional(ElementsAre(3)));
}

TEST_F(Cgroup, NothingToReadGrantsEverything) {
    EXPECT_EQ(pus(), std::nullopt);
    write("proc/self/cgroup", "nonsense\n0::/\n");
    write("proc/self/mounts", "proc /proc proc rw 0 0\n");
    EXPECT_EQ(pus(), std::nullopt);
    write("proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
    write("sys/fs/cgroup/cpuset.cpus.effective", "garbage\n");
    EXPECT_EQ(pus(), std::nullopt);
}

TEST(Affinity, MaskWordsAndNumbersAreInverse) {
    for (const std::vector<int>& pus : {std::vector<int>{}, {0}, {63}, {64}, {0, 1, 63, 64, 127, 1000}})
        EXPECT_EQ(mask_numbers(mask_words(pus)), pus);
    EXPECT_EQ(mask_words(std::vector<int>{65}), (std::vector<unsigned long>{0, 2}));
}

TEST(Affinity, OfNobodyIsAnError) {
    std::vector<int> pus;
    EXPECT_EQ(get_affinity(kNobody, pus), ESRCH);
    EXPECT_TRUE(allowed_pus(kNobody).empty());
}

TEST(Affinity, WhatIsAllowedIsWithinTheMask) {
    std::vector<int> mask;
    ASSERT_EQ(get_affinity(0, mask), 0);
    const std::vector<int> allowed = allowed_pus(0);
    ASSERT_FALSE(allowed.empty());
    EXPECT_TRUE(std::includes(mask.begin(), mask.end(), allowed.begin(), allowed.end()));
}

// As where the group had one processor when it was looked at last, and has got more since.
TEST(Affinity, AllThatIsGrantedIsWhatTheGroupHasByNow) {
    std::vector<int> before, after;
    ASSERT_EQ(get_affinity(0, before), 0);
    if (before.size() < 2 || !is_all_granted(0, before)) GTEST_SKIP() << "needs two processors, and not to be bound";
    for (const bool may_look : {true, false}) {
        ASSERT_EQ(set_affinity(0, std::span(before).first(1)), 0);
        EXPECT_EQ(set_all_granted(0, std::span(before).first(1), may_look), 0);
        ASSERT_EQ(get_affinity(0, after), 0);
        EXPECT_EQ(after, before) << may_look;
    }
}

}  // namespace
}  // namespace gimbal::pin
