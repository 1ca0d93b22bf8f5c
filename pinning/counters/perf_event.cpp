// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/perf_event.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace gimbal::pin {

namespace {

/// What a refusal most likely means. The setting is told for information only: some kernels and containers refuse
/// whatever it says.
std::string in_words(int error) {
    std::string message = std::generic_category().message(error);
    if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
        return "this machine has no such counter (" + message + ")";
    if (error != EACCES && error != EPERM) return message;
    std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
    std::string level;
    std::getline(file, level);
    if (level.empty()) return message;
    return message.append(": kernel.perf_event_paranoid is ").append(level).append(", or a container forbids it");
}

}  // namespace

std::string PerfEvent::open(PerfKind kind, pid_t tid) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    const bool clock = kind == PerfKind::task_clock;
    wanted.type = clock ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
    wanted.config = clock ? static_cast<std::uint64_t>(PERF_COUNT_SW_TASK_CLOCK)
                          : static_cast<std::uint64_t>(PERF_COUNT_HW_INSTRUCTIONS);
    wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    wanted.exclude_kernel = clock ? 0 : 1;
    wanted.exclude_hv = 1;
    const long fd =
        syscall(SYS_perf_event_open, &wanted, tid, -1, -1, static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC));
    if (fd < 0) return in_words(errno);
    return file_.keep(static_cast<int>(fd)) ? "" : "no file descriptor left for counters";
}

bool PerfEvent::read(Reading& reading) const noexcept {
    std::uint64_t values[3] = {};
    if (!file_.open() || ::read(file_.get(), values, sizeof values) != static_cast<ssize_t>(sizeof values))
        return false;
    reading.value = static_cast<std::int64_t>(values[0]);
    reading.enabled_ns = static_cast<std::int64_t>(values[1]);
    reading.running_ns = static_cast<std::int64_t>(values[2]);
    return true;
}

}  // namespace gimbal::pin
