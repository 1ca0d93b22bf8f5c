// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <utility>

#include "gimbal/file_identity.hpp"

namespace gimbal::pin {

/// Room for one file descriptor out of a budget: an eighth of what the process may open, at most 256 for all counters
/// together, so that a program with a thousand threads never finds its own files refused because of us.
/// @threads any  @cost one atomic addition
/// @source test: tests/unit/pinning/counters/descriptors_test.cpp
class DescriptorSlot {
public:
    DescriptorSlot() noexcept = default;
    DescriptorSlot(DescriptorSlot&& other) noexcept : taken_(std::exchange(other.taken_, false)) {}
    DescriptorSlot& operator=(DescriptorSlot&& other) noexcept {
        std::swap(taken_, other.taken_);
        return *this;
    }
    ~DescriptorSlot() { give(); }

    /// @param most  how many slots may be taken at once, this one included [count]
    /// @return whether there was room; true if it had one already
    bool take(int most = budget()) noexcept;
    void give() noexcept;
    /// [count]
    [[nodiscard]] static int budget() noexcept;
    [[nodiscard]] static int taken() noexcept;

private:
    bool taken_ = false;
};

/// A file that is open, in its slot. The program may have closed it, and have one of its own under that number, which
/// must be neither read nor closed here.
/// @threads one at a time
class Descriptor {
public:
    Descriptor() noexcept = default;
    Descriptor(Descriptor&& other) noexcept
        : slot_(std::move(other.slot_)),
          fd_(std::exchange(other.fd_, -1)),
          identity_(other.identity_),
          event_(other.event_) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(slot_, other.slot_);
        std::swap(fd_, other.fd_);
        std::swap(identity_, other.identity_);
        std::swap(event_, other.event_);
        return *this;
    }
    ~Descriptor() { reset(); }

    /// Keeps an open file. Without room it is closed.
    bool keep(int fd, int most = DescriptorSlot::budget()) noexcept;
    void reset() noexcept;
    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] bool open() const noexcept { return fd_ >= 0; }
    /// Whether it is what was kept. @cost one or two system calls
    [[nodiscard]] bool ours() const noexcept;

private:
    DescriptorSlot slot_;
    int fd_ = -1;
    FileIdentity identity_;
    std::uint64_t event_ = 0;  ///< the kernel's number of an event counter, which has no identity; 0: it is none
};

}  // namespace gimbal::pin
