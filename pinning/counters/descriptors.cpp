// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/descriptors.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace gimbal::pin {

namespace {
std::atomic<int> kept{0};

/// The kernel's number of the event counter that a descriptor leads to. @return 0: it is none
std::uint64_t event_number(int fd) noexcept {
    std::uint64_t number = 0;
    return ioctl(fd, PERF_EVENT_IOC_ID, &number) == 0 ? number : 0;
}
}  // namespace

int DescriptorSlot::budget() noexcept {
    static const int most = [] {
        constexpr rlim_t kMax = 256;
        rlimit limit{};
        if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return static_cast<int>(kMax);
        return static_cast<int>(std::min<rlim_t>(kMax, limit.rlim_cur / 8));
    }();
    return most;
}

int DescriptorSlot::taken() noexcept {
    return kept.load(std::memory_order_relaxed);
}

bool DescriptorSlot::take(int most) noexcept {
    if (taken_) return true;
    if (kept.fetch_add(1, std::memory_order_relaxed) < most) return taken_ = true;
    kept.fetch_sub(1, std::memory_order_relaxed);
    return false;
}

void DescriptorSlot::give() noexcept {
    if (std::exchange(taken_, false)) kept.fetch_sub(1, std::memory_order_relaxed);
}

bool Descriptor::keep(int fd, int most) noexcept {
    reset();
    fd = beyond_standard_streams(fd);
    if (fd < 0) return false;
    if (!slot_.take(most)) {
        close(fd);
        return false;
    }
    fd_ = fd;
    identity_ = FileIdentity(fd);
    event_ = event_number(fd);
    return true;
}

bool Descriptor::ours() const noexcept {
    return fd_ >= 0 && identity_.is(fd_) && event_number(fd_) == event_;
}

void Descriptor::reset() noexcept {
    if (ours()) close(fd_);
    fd_ = -1;
    slot_.give();
}

}  // namespace gimbal::pin
