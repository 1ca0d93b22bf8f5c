// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system under a trace: somebody sets the clock, and signals come while room is made. This program's own functions
// stand before those of the C library.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <string>

#include "trace/recorder.hpp"
#include "trace/records_file.hpp"

namespace {

time_t set_ahead_s = 0;  // by which the clock has been set since
int interruptions = 0;   // that are still to come

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
    const long result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += set_ahead_s;
    return static_cast<int>(result);
}

extern "C" int posix_fallocate(int file, off_t offset, off_t size) {
    if (interruptions > 0) {
        --interruptions;
        return EINTR;
    }
    const auto next = reinterpret_cast<int (*)(int, off_t, off_t)>(dlsym(RTLD_NEXT, "posix_fallocate"));
    return next(file, offset, size);
}

namespace gimbal {
namespace {

TEST(TraceSystem, SignalsAndAClockThatIsSetChangeNothing) {
    const std::filesystem::path folder = testing::TempDir() + "trace-system." + std::to_string(getpid());
    std::filesystem::create_directories(folder);
    start_trace(folder / "trace", 64U << 20U, {}, [](std::string path) { return path; });
    interruptions = 3;
    trace(TraceKind::call_begin, 0);
    EXPECT_EQ(interruptions, 0);
    set_ahead_s = 3600;
    const std::string records = finish_trace();
    ASSERT_NE(records, "") << "a signal came while room was made: " << trace_refusal();
    const TraceFileHeader header = RecordsFile(records).header();
    EXPECT_GT(header.last_ticks, header.start_ticks);
    EXPECT_GT(header.last_steady_ns, header.start_steady_ns);
    EXPECT_LT(header.last_steady_ns - header.start_steady_ns, 1'000'000'000'000U) << "a part of the hour";
    EXPECT_LT(header.start_ns, wall_clock_ns() - 3'000'000'000'000U) << "the epoch is that of the start";
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gimbal
