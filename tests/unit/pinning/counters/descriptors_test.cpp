// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/descriptors.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include "counters/thread_counter.hpp"
#include "support.hpp"

namespace gimbal::pin {
namespace {

TEST(Descriptors, AreAtMostAnEighthOfWhatMayBeOpen) {
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_LE(DescriptorSlot::budget(), 256);
    EXPECT_LE(static_cast<rlim_t>(DescriptorSlot::budget()), limit.rlim_cur / 8);
}

TEST(Descriptors, BeyondTheBudgetFilesAreClosed) {
    const int before = DescriptorSlot::taken();
    {
        Descriptor first, second;
        EXPECT_TRUE(first.keep(open("/dev/null", O_RDONLY), before + 1));
        const int fd = open("/dev/null", O_RDONLY);
        EXPECT_FALSE(second.keep(fd, before + 1));
        EXPECT_EQ(fcntl(fd, F_GETFD), -1);
        Descriptor moved = std::move(first);
        EXPECT_FALSE(first.open());
        EXPECT_TRUE(moved.open());
        EXPECT_EQ(DescriptorSlot::taken(), before + 1);
    }
    EXPECT_EQ(DescriptorSlot::taken(), before);
}

TEST(Descriptors, NoneHasTheNumberOfAStandardStream) {
    const int input = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    Descriptor kept;
    EXPECT_TRUE(kept.keep(open("/dev/null", O_RDONLY)));
    EXPECT_GT(kept.get(), STDERR_FILENO);
    EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
    if (input >= 0) dup2(input, STDIN_FILENO), close(input);
}

TEST(Descriptors, AFileOfTheProgramsUnderTheSameNumberIsLeftAlone) {
    const int before = DescriptorSlot::taken();
    const int number = open("/dev/null", O_RDONLY);
    Descriptor kept;
    ASSERT_TRUE(kept.keep(number));
    EXPECT_TRUE(kept.ours());
    // The program closes it, and another file gets its number.
    const int other = open("/proc/self/stat", O_RDONLY);
    ASSERT_EQ(dup2(other, number), number);
    EXPECT_FALSE(kept.ours());
    kept.reset();
    EXPECT_EQ(DescriptorSlot::taken(), before);
    EXPECT_NE(fcntl(number, F_GETFD), -1) << "it was not closed";
    close(number);
    close(other);
}

TEST(Descriptors, AThreadsClockIsReadWhateverBecameOfItsFile) {
    ThreadCounter counter;
    ASSERT_TRUE(counter.open(Backend::cpu_time, {.pid = 0, .tid = test::own_tid(), .progress = nullptr}));
    ASSERT_TRUE(counter.read().valid);
    const int other = open("/dev/null", O_RDONLY);
    for (int number = 3; number < 64; ++number) {
        if (number == other || fcntl(number, F_GETFD) == -1) continue;
        ASSERT_EQ(dup2(other, number), number);
    }
    EXPECT_TRUE(counter.read().valid);
    for (int number = 3; number < 64; ++number) close(number);
    EXPECT_TRUE(counter.read().valid);
}

TEST(Descriptors, AThousandCountersStayWithinIt) {
    const int before = DescriptorSlot::taken();
    {
        std::vector<ThreadCounter> counters(1000);
        for (ThreadCounter& counter : counters)
            EXPECT_TRUE(counter.open(Backend::cpu_time, {.pid = 0, .tid = test::own_tid(), .progress = nullptr}));
        EXPECT_LE(DescriptorSlot::taken(), DescriptorSlot::budget());
        EXPECT_TRUE(counters.back().read().valid);
        EXPECT_GE(counters.back().read().wait_ns, counters.front().read().wait_ns < 0 ? -1 : 0);
    }
    EXPECT_EQ(DescriptorSlot::taken(), before);
}

}  // namespace
}  // namespace gimbal::pin
