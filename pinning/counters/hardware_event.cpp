// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/hardware_event.hpp"

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
    if (!file_.ours() || ::read(file_.get(), values, sizeof values) != static_cast<ssize_t>(sizeof values))
        return false;
    reading.value = static_cast<std::int64_t>(values[0]);
    reading.enabled_ns = static_cast<std::int64_t>(values[1]);
    reading.running_ns = static_cast<std::int64_t>(values[2]);
    return true;
}

std::string PapiEvent::start(pid_t tid) {
    if (!papi_->start()) return papi_->error();
    stop();
    if (!papi_->has_its_files()) return "the program has closed PAPI's files";
    if (!slot_.take()) return "no file descriptor left for counters";
    const auto failed = [this](const char* call, int result) {
        std::string words = std::string(call) + ": " + papi_->words(result);
        stop();
        return words;
    };
    if (const int result = papi_->create_eventset(&set_); result != PapiLibrary::kOk) {
        set_ = PapiLibrary::kNull;
        return failed("PAPI_create_eventset", result);
    }
    // Component 0 is the processor's; attaching needs to know it before there is an event.
    if (const int result = papi_->assign_eventset_component(set_, 0); result != PapiLibrary::kOk)
        return failed("PAPI_assign_eventset_component", result);
    if (tid != 0) {
        if (const int result = papi_->attach(set_, static_cast<unsigned long>(tid)); result != PapiLibrary::kOk)
            return failed("PAPI_attach", result);
    }
    if (const int result = papi_->add_event(set_, PapiLibrary::kTotalInstructions); result != PapiLibrary::kOk)
        return failed("PAPI_add_event(PAPI_TOT_INS)", result);
    if (const int result = papi_->start_events(set_); result != PapiLibrary::kOk) return failed("PAPI_start", result);
    running_ = true;
    return {};
}

void PapiEvent::stop() noexcept {
    slot_.give();
    if (set_ == PapiLibrary::kNull) return;
    long long last[8] = {};
    // Else it would close files of the program's.
    if (papi_->has_its_files()) {
        if (running_) papi_->stop_events(set_, last);
        papi_->cleanup_eventset(set_);
        papi_->destroy_eventset(&set_);
    }
    running_ = false;
    set_ = PapiLibrary::kNull;
}

bool PapiEvent::read(Reading& reading) noexcept {
    long long values[8] = {};
    if (!running_ || !papi_->has_its_files() || papi_->read(set_, values) != PapiLibrary::kOk) return false;
    reading.value = values[0];
    return true;
}

}  // namespace gimbal::pin
