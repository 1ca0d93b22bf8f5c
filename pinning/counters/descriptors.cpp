// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/descriptors.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace gimbal::pin {

namespace {
std::atomic<int> kept{0};
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
    if (fd < 0) return false;
    if (!slot_.take(most)) {
        close(fd);
        return false;
    }
    fd_ = fd;
    return true;
}

void Descriptor::reset() noexcept {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
    slot_.give();
}

}  // namespace gimbal::pin
