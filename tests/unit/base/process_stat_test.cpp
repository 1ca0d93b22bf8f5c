// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/process_stat.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace gimbal {
namespace {

using Room = std::array<char, ProcessStat::kEnough>;

std::string stat_of(pid_t process) {
    return "/proc/" + std::to_string(process) + "/stat";
}

/// While it lives, this process can open no file.
class NoDescriptors {
public:
    NoDescriptors() {
        getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
        setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;

private:
    rlimit before_{};
};

TEST(ProcessStat, ANameMayHoldAnything) {
    for (const char* const name : {"a", "", ") Z (", "two words", "(", "a) S\n(b", ")"}) {
        const std::string text = "12 (" + std::string(name) + ") S 7 8 9\n";
        const ProcessStat stat(text);
        EXPECT_EQ(stat.name(), name);
        EXPECT_EQ(stat.state(), 'S') << name;
        EXPECT_EQ(stat.field(3), "S") << name;
        EXPECT_EQ(stat.field(4), "7") << name;
        EXPECT_EQ(stat.field(6), "9") << name;
        EXPECT_EQ(stat.field(7), "") << name;
        EXPECT_EQ(stat.field(40), "") << name;
    }
}

TEST(ProcessStat, OtherTextIsNotKnownAndHasNotEnded) {
    for (const std::string_view text : {"", "12", "12 (name", "12 name) Z", "12 (name)", "12 (name) ", ") Z ("}) {
        const ProcessStat stat(text);
        EXPECT_EQ(stat.state(), '\0') << text;
        EXPECT_FALSE(stat.has_ended()) << text;
        EXPECT_EQ(stat.field(3), "") << text;
    }
}

TEST(ProcessStat, ReadsAProcess) {
    Room room;
    const ProcessStat self = ProcessStat::read("/proc/self/stat", room);
    EXPECT_FALSE(self.has_ended());
    EXPECT_EQ(self.field(4), std::to_string(getppid()));
}

TEST(ProcessStat, AZombieHasEndedAndSoHasWhatIsGone) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t info{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    Room room;
    EXPECT_EQ(ProcessStat::read(stat_of(child).c_str(), room).state(), 'Z');
    EXPECT_TRUE(ProcessStat::read(stat_of(child).c_str(), room).has_ended());
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(ProcessStat::read(stat_of(child).c_str(), room).has_ended());
}

TEST(ProcessStat, WhatCannotBeReadHasNotEnded) {
    Room room;
    const NoDescriptors none;
    const ProcessStat self = ProcessStat::read("/proc/self/stat", room);
    EXPECT_EQ(self.state(), '\0');
    EXPECT_FALSE(self.has_ended());
    EXPECT_FALSE(program_has_left());
}

TEST(ProcessStat, AProgramWhoseMainThreadLivesHasNotLeft) {
    EXPECT_FALSE(program_has_left());
}

}  // namespace
}  // namespace gimbal
