// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gimbal/random.hpp"

namespace gimbal::learn {

/// The last steps, to be learnt from again in random order.
/// @threads guarded by its owner  @cost O(1)
class Replay {
public:
    struct Entry {
        std::uint32_t state = 0;
        std::uint32_t action = 0;
        std::uint32_t after = 0;  // the state that follows
        double reward = 0;
    };

    /// @param capacity  >= 1 [steps]; older ones are overwritten  @errors std::bad_alloc
    explicit Replay(std::size_t capacity) : capacity_(capacity) { entries_.reserve(capacity); }

    void add(const Entry& entry) noexcept {
        if (entries_.size() < capacity_) {
            entries_.push_back(entry);  // within what was reserved
        } else {
            entries_[next_] = entry;
        }
        next_ = (next_ + 1) % capacity_;
    }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    /// @pre size() >= 1
    [[nodiscard]] const Entry& draw(Random& random) const noexcept {
        return entries_[random.between(0, entries_.size() - 1)];
    }

private:
    std::size_t capacity_;
    std::size_t next_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace gimbal::learn
