// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/held_signal.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace {

using gimbal::EarlyAllocations;
using gimbal::HeldSignal;
using gimbal::HeldSignals;

bool waits(int signal) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    return sigismember(&mask, signal) == 1;
}

TEST(HeldSignal, KeepsWhatErrnoSaysOfTheWriting) {
    {
        const HeldSignal held(SIGXFSZ);
        errno = ENOSPC;
    }
    EXPECT_EQ(errno, ENOSPC);
}

TEST(HeldSignals, WaitButForWhatTheThreadDoesWrongItself) {
    {
        const HeldSignals held;
        const HeldSignals once_more;
        EXPECT_TRUE(waits(SIGALRM));
        EXPECT_TRUE(waits(SIGTERM));
        EXPECT_FALSE(waits(SIGSEGV));
        EXPECT_FALSE(waits(SIGABRT));
    }
    EXPECT_FALSE(waits(SIGALRM));
}

TEST(HeldSignals, EndWithTheOutermost) {
    const HeldSignals outer;
    { const HeldSignals inner; }
    EXPECT_TRUE(waits(SIGALRM));
}

TEST(EarlyAllocations, HoldSignalsFromWhenTheHeapIsNeededToTheirEnd) {
    EXPECT_EQ(EarlyAllocations::innermost(), nullptr);
    {
        const EarlyAllocations outer;
        EXPECT_FALSE(waits(SIGALRM));
        {
            EarlyAllocations inner;
            EXPECT_EQ(EarlyAllocations::innermost(), &inner);
            inner.hold_signals();
            inner.hold_signals();
            EXPECT_TRUE(waits(SIGALRM));
        }
        EXPECT_EQ(EarlyAllocations::innermost(), &outer);
        EXPECT_FALSE(waits(SIGALRM));
    }
    EXPECT_EQ(EarlyAllocations::innermost(), nullptr);
}

}  // namespace
