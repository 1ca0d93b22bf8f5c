// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A signal handler that runs loops nobody has seen before, while its thread asks for others by name.
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>

#include "loop/site_table.hpp"
#include "team.hpp"

namespace {

constexpr int kHandled = 200;
constexpr int kPatience_ms = 60'000;
volatile std::sig_atomic_t handled = 0;

void run_a_new_loop(int) {
    if (handled == kHandled) return;
    const auto desc = gimbal::test::loop_desc(0x50000 + 16 * static_cast<std::uintptr_t>(handled), 10, 2, 0);
    (void)gimbal::find_site(desc);
    handled = handled + 1;
}

// In a child: a thread that waits for itself is ended.
void expect_no_wait(const std::function<void()>& ask) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a handler that runs a new loop allocates, which is reported as unsafe";
#endif
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        std::signal(SIGVTALRM, run_a_new_loop);
        const itimerval often{{0, 100}, {0, 100}};
        setitimer(ITIMER_VIRTUAL, &often, nullptr);
        while (handled < kHandled) ask();
        _exit(0);
    }
    int status = -1;
    for (int waited = 0; waitpid(child, &status, WNOHANG) == 0; ++waited) {
        if (waited == kPatience_ms) kill(child, SIGKILL);
        usleep(1000);
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

TEST(Handler, RunsALoopWhileItsThreadAsksForFractionsByName) {
    expect_no_wait([] {
        gimbal::set_named_fraction("no loop of which anybody has ever heard", 0.5);
        (void)gimbal::named_fraction("no loop of which anybody has ever heard");
    });
}

TEST(Handler, RunsALoopWhileItsThreadAsksForALoopOverRanks) {
    expect_no_wait([] { (void)gimbal::find_rank_site("a name too long for the string itself", 2, {}); });
}

}  // namespace
