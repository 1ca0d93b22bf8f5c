// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#if __has_include(<papi.h>)
#include <papi.h>
#define GIMBAL_TEST_HAS_PAPI_HEADER 1
#endif

#include "counters/hardware_event.hpp"
#include "counters/papi_library.hpp"
#include "support.hpp"

namespace gimbal::pin {
namespace {

#ifdef GIMBAL_TEST_HAS_PAPI_HEADER
static_assert(PapiLibrary::kOk == PAPI_OK);
static_assert(PapiLibrary::kNull == PAPI_NULL);
static_assert(PapiLibrary::kTotalInstructions == PAPI_TOT_INS);
#endif

TEST(Papi, IsOptional) {
    constexpr const char* kNames[] = {"libpapi_that_is_not_there.so"};
    PapiLibrary papi(kNames);
    EXPECT_FALSE(papi.start());
    EXPECT_EQ(papi.error(), "PAPI is not installed");
    EXPECT_EQ(PapiEvent(papi).start(test::own_tid()), "PAPI is not installed");
}

TEST(Papi, AnotherLibraryOfThatNameIsNotCalled) {
    constexpr const char* kNames[] = {"libm.so.6"};
    PapiLibrary papi(kNames);
    EXPECT_FALSE(papi.start());
    EXPECT_EQ(papi.error(), "it has no PAPI_library_init");
}

/// What is in a pipe after a counter was read and stopped whose file has the pipe's number. @param closed  the program
/// has closed all files before
std::string left_in_pipe(bool closed) {
    constexpr const char* kNames[] = {STAND_IN};
    std::array<int, 2> report{}, pipes{};
    if (pipe(report.data()) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        dup2(report[1], STDOUT_FILENO);
        constexpr int kNumber = 200;
        setenv("STAND_IN_FILE", std::to_string(kNumber).c_str(), 1);
        PapiLibrary papi(kNames);
        PapiEvent event(papi);
        std::string text = event.start(test::own_tid());
        if (closed) close_range(3, ~0U, 0);
        if (pipe(pipes.data()) != 0 || dup2(pipes[0], kNumber) < 0 || write(pipes[1], "abc", 3) != 3) _exit(1);
        Reading reading;
        text += event.read(reading) ? "read " : "not read ";
        event.stop();
        std::array<char, 8> rest{};
        const ssize_t left = read(kNumber, rest.data(), rest.size());
        text += left < 0 ? "closed" : std::string(rest.data(), static_cast<std::size_t>(left));
        _exit(write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    close(report[1]);
    std::array<char, 256> text{};
    const ssize_t got = read(report[0], text.data(), text.size());
    close(report[0]);
    waitpid(child, nullptr, 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

TEST(Papi, NeitherReadsNorClosesFilesOfAProgramThatHasClosedAll) {
    EXPECT_EQ(left_in_pipe(false), "read closed") << "the stand-in does";
    EXPECT_EQ(left_in_pipe(true), "not read abc");
}

TEST(Papi, CountsInstructionsOrSaysWhyNot) {
    PapiLibrary& papi = PapiLibrary::installed();
    if (!papi.start()) GTEST_SKIP() << papi.error();
    PapiEvent event(papi);
    const int before = DescriptorSlot::taken();
    const std::string refusal = event.start(test::own_tid());
    if (!refusal.empty()) {
        EXPECT_THAT(refusal, testing::StartsWith("PAPI_"));
        EXPECT_EQ(DescriptorSlot::taken(), before);
        GTEST_SKIP() << "no such counter here: " << refusal;
    }
    Reading first, second;
    ASSERT_TRUE(event.read(first));
    test::spin();
    ASSERT_TRUE(event.read(second));
    EXPECT_GT(second.value, first.value + 1000);
}

TEST(Papi, AFailedStartCanBeTriedAgain) {
    PapiLibrary& papi = PapiLibrary::installed();
    if (!papi.start()) GTEST_SKIP() << papi.error();
    for (int i = 0; i < 100; ++i) {
        PapiEvent event(papi);
        (void)event.start(test::own_tid());
    }
    PapiEvent event(papi);
    Reading reading;
    EXPECT_FALSE(event.read(reading));
}

}  // namespace
}  // namespace gimbal::pin
